"""arXiv identifiers in file names and addresses, old (astro-ph/0001197) and new (0903.1000)."""

import re

# The archives that gave identifiers before April 2007; the list is closed.
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph"
    "|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_OLD = re.compile(rf"(?<![\w-])({_ARCHIVES})(?:\.[A-Z]{{2}})?[/_.:-]?((?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])\d{{3}})(?!\d)")
_NEW = re.compile(r"(?<![\d.])((?:0[7-9]|[1-9]\d)(?:0[1-9]|1[0-2])\.\d{4,5})(?:v\d+)?(?!\d)")


def arxiv_id(text: str) -> str:
    """Return the arXiv identifier in a file name or address without its version, or an empty string."""
    if old := _OLD.search(text):
        return f"{old[1]}/{old[2]}"
    new = _NEW.search(text)
    return new[1] if new else ""


def abstract_url(number: str) -> str:
    """Return the abstract page of an identifier, or an empty string for none."""
    return f"https://arxiv.org/abs/{number}" if number else ""
