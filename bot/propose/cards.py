"""The content of a page about one proposal: plain words and safe MathML, in the order in which a reviewer reads, and the difference between two formulas."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from markupsafe import Markup

from bot.formula import mathml
from bot.match.model import shipped_model
from bot.messages import Message, uncoded_message
from bot.propose.build import BuildResult
from bot.propose.diff import ExistingClaim
from bot.propose.quotes import quote_parts, sentence_url
from bot.propose.references import is_web
from bot.propose.source_formulas import SourceFormula, compared_tex, reference_index, source_formulas
from bot.records import Check, Document, Evidence, Proposal, Quote, Reference
from bot.settings import Properties, Wiki
from bot.wikibase import is_item_id

_PIECE = re.compile(r"\\[A-Za-z]+|\\.|\d+|\S", re.S)
_MAX_SCRIPT_LENGTH = 6  # letters and digits of a script in braces that is part of its sign
KINDS = {"new_claim": "new claim", "add_reference": "add reference", "flag": "flagged"}
RELATIONS = {
    "identical": "identical", "typographic": "typographic variant", "notation": "same in other notation",
    "renamed": "other symbols", "rearranged": "rearranged", "variant": "related, but not the same",
    "different": "another formula",
}  # fmt: skip
_STATES: Mapping[str, tuple[str, str]] = {"warn": ("!", "warning"), "unknown": ("?", "unknown")}
# What formula, label and numbers are like. It weighs in the sum, but a person cannot look it up in a source: shown last.
_SIMILARITY_EVIDENCE = frozenset(
    "called_eponym common_word eponym listed_share loose_noun named_alone one_symbol one_word words_above words_beside words_missing".split()
)
_MAX_REASONS, _MAX_DOUBTS = 6, 5  # signs that are shown at once
_MAX_TOKENS = 2000  # signs beyond which those that stand everywhere are not paired: 9,000 equal ones took 5 seconds
# What a reader does not see, or what turns text around: shown, not obeyed.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class DifferenceRun:
    """A run of TeX in a marked difference: same, gone or new."""

    kind: str
    text: str


def marked_differences(old: str, new: str) -> tuple[DifferenceRun, ...]:
    """Return two formulas as one run of pieces; blanks do not count, nor do braces around one sign. m_e is one sign."""
    one, other = (_symbols(_without_grouping_braces(_PIECE.findall(tex))) for tex in (old, new))
    found: list[DifferenceRun] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=len(other) > _MAX_TOKENS).get_opcodes():
        if kind == "equal":
            found.append(DifferenceRun("same", _joined(one[a:b])))
            continue
        if a < b:
            found.append(DifferenceRun("gone", _joined(one[a:b])))
        if c < d:
            found.append(DifferenceRun("new", _joined(other[c:d])))
    return tuple(found)


def _symbols(tokens: Sequence[str]) -> list[str]:
    """Return tokens with short scripts joined to their base: m_e and c_0^2 are one each."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        size = _script_length(tokens, at)
        if size and found and (found[-1][-1:].isalnum() or found[-1][-1:] == "}"):
            found[-1] += _joined(tokens[at : at + size])
        else:
            size = 1
            found.append(tokens[at])
        at += size
    return found


def _script_length(tokens: Sequence[str], at: int) -> int:
    """Return how many tokens the script that begins here has; 0 where none begins, or one that is a term of its own."""
    if tokens[at] not in ("_", "^") or at + 1 >= len(tokens):
        return 0
    if tokens[at + 1] != "{":
        return 2
    inside = tokens[at + 2 : at + 2 + _MAX_SCRIPT_LENGTH + 1]
    if "}" not in inside or not all(token.isalnum() for token in inside[: inside.index("}")]):
        return 0
    return inside.index("}") + 3


def _without_grouping_braces(tokens: Sequence[str]) -> list[str]:
    """Return tokens without braces that only group: {P_{1}} as P_1. Arguments of a command keep theirs."""
    found: list[str] = []
    opened: list[tuple[int, str]] = []  # start of a group, and the token before it
    after_argument = False
    for token in tokens:
        before = found[-1] if found else ""
        found.append(token)
        if token == "{":
            argument = after_argument or re.match(r"\\[A-Za-z]", before) or before == "]"
            opened.append((len(found) - 1, "argument" if argument else "script" if before in ("_", "^") else "group"))
        after_argument = False
        if token == "}" and opened:
            at, kind = opened.pop()
            after_argument = kind == "argument"
            if kind == "group" or (kind == "script" and len(found) - at == 3):
                del found[-1], found[at]
    return found


def _joined(tokens: Sequence[str]) -> str:
    """Put pieces of TeX together; a command and a letter after it stay apart."""
    text = ""
    for token in tokens:
        apart = token[:1].isalpha() and re.search(r"\\[A-Za-z]+$", text)
        text += f" {token}" if apart else token
    return text


TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, slots=True)
class ShownFormula:
    tex: str
    drawn: Markup


@dataclass(frozen=True, slots=True)
class Snak:
    property: str
    name: Message
    value: str
    link: str


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A standing statement, as it is shown; `pieces` marks how the other formula differs from it."""

    formula: ShownFormula
    rank: str
    relation: str
    note: Message | None
    references: tuple[tuple[Snak, ...], ...]
    same: bool
    pieces: tuple[DifferenceRun, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A source that writes the formula otherwise than the claim does, as it is shown; see SourceFormula."""

    source: SourceFormula
    formula: ShownFormula
    pieces: tuple[DifferenceRun, ...]  # from the claim's formula to the source's


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A quote, as it is shown: pieces of (kind, text or drawn formula)."""

    pieces: tuple[tuple[str, str | Markup], ...]
    title: str
    document: str
    position: int
    heading: str
    link: str
    where: str
    name: str
    corpus: str
    number: int  # from 1, as on the page
    reference: int  # the number of its reference, 0 where it has none
    language: str  # of the document, "" where it is not known


@dataclass(frozen=True, slots=True)
class Card:
    """All that a page shows of one proposal."""

    proposal: Proposal
    label: str
    description: str
    language: str  # of label and description
    link: str
    formula: ShownFormula
    percent: int
    failed: tuple[Check, ...]
    reasons: tuple[Evidence, ...]
    doubts: tuple[Evidence, ...]
    open_checks: tuple[tuple[Check, str, str], ...]  # checks that want attention: (check, sign, word)
    passed: tuple[Check, ...]
    existing_claims: tuple[ShownClaim, ...]
    sources: tuple[ShownSource, ...]
    references: tuple[tuple[Snak, ...], ...]
    runners_up: tuple[tuple[str, str, float, str], ...]
    other_formulas: tuple[tuple[ShownFormula, float], ...]
    corpora: tuple[str, ...]
    differing_sources: tuple[ShownDifference, ...] = ()  # sources that write another formula, by more than typography
    # (formula, item, label) of the symbols that are proposed with it; of a symbol, the formula that it stands in.
    symbols: tuple[tuple[ShownFormula, str, str], ...] = ()

    @property
    def of_100(self) -> int:
        """Return how many of 100 like it were accepted."""
        return expected_of_100(self.percent)

    @property
    def main_evidence(self) -> tuple[Evidence, ...]:
        """The evidence that is always shown: reasons, then doubts, those first that a person can look up."""
        found = _most_relevant(self.reasons)[:_MAX_REASONS] + _most_relevant(self.doubts)[:_MAX_DOUBTS]
        return tuple(found) if found else (*self.reasons, *self.doubts)

    @property
    def further_evidence(self) -> tuple[Evidence, ...]:
        """The rest of the evidence."""
        signs = self.main_evidence
        return tuple(e for e in (*self.reasons, *self.doubts) if e not in signs)

    def quotes_of(self, reference: int) -> tuple[int, ...]:
        """Return the numbers of the quotes from the document of this reference, both counted from 1."""
        return tuple(source.number for source in self.sources if source.reference == reference)

    @property
    def needs_source(self) -> bool:
        """Say whether it is a claim for which a reviewer has to name the source."""
        return self.proposal.kind == "new_claim" and not self.proposal.references


def percent(probability: float) -> int:
    """Return a probability as people read it: nothing here is certain."""
    return min(99, int(probability * 100))


def expected_of_100(percent: int) -> int:
    """Return how many of 100 like this were accepted, and never more than of the likeliest pairs that were judged."""
    return min(percent, round(100 * shipped_model("matching").reliability[-1][1]))


def card(built: BuildResult, wiki: Wiki, documents: Mapping[str, Document], labels: Mapping[str, str]) -> Card:
    """Return what a page shows of a proposal. The entry must have one."""
    proposal = built.proposal
    assert proposal is not None
    not_passed = sorted(
        (c for c in proposal.checks if c.state != "ok"), key=lambda c: ("fail", "warn", "unknown").index(c.state)
    )
    sources = tuple(
        _source(quote, documents, n, reference_index(quote, proposal.references) + 1)
        for n, quote in enumerate(proposal.quotes, 1)
    )
    return Card(
        proposal=proposal,
        label=built.item.label or proposal.qid,
        description=built.item.description,
        language=wiki.language,
        link=item_url(wiki, proposal.qid),
        formula=drawn_formula(proposal.tex, display=True),
        percent=percent(proposal.probability),
        failed=tuple(c for c in not_passed if c.state == "fail"),
        reasons=tuple(sorted((e for e in proposal.evidence if e.score > 0), key=lambda e: -e.score)),
        doubts=tuple(sorted((e for e in proposal.evidence if e.score < 0), key=lambda e: e.score)),
        open_checks=tuple((c, *_STATES[c.state]) for c in not_passed if c.state != "fail"),
        passed=tuple(c for c in proposal.checks if c.state == "ok"),
        existing_claims=tuple(
            _shown_claim(each, compared_tex(proposal), wiki, labels) for each in built.existing_claims
        ),
        sources=sources,
        references=tuple(snaks(r, wiki, labels) for r in proposal.references),
        runners_up=tuple((qid, label, p, item_url(wiki, qid)) for qid, label, p in proposal.runners_up),
        other_formulas=tuple((drawn_formula(tex), p) for tex, p in proposal.other_formulas),
        corpora=tuple(dict.fromkeys(source.corpus for source in sources if source.corpus)),
        differing_sources=differing(proposal),
        symbols=tuple((drawn_formula(proposal.formula), qid, labels.get(qid, "")) for _, _, qid in proposal.qualifiers),
    )


def _most_relevant(rows: Sequence[Evidence]) -> list[Evidence]:
    return [e for e in rows if e.name not in _SIMILARITY_EVIDENCE]


def differing(proposal: Proposal) -> tuple[ShownDifference, ...]:
    """Return the sources with a formula other than the claim's, as they are shown; none for a flag, which has no claim."""
    if proposal.kind == "flag":
        return ()
    return tuple(
        ShownDifference(each, drawn_formula(each.tex), marked_differences(proposal.tex, each.tex))
        for each in source_formulas(proposal)
        if each.differs
    )


def drawn_formula(tex: str, *, display: bool = False) -> ShownFormula:
    """Return a formula with its drawing."""
    return ShownFormula(tex, Markup(mathml(tex, display)))


def item_url(wiki: Wiki, qid: str) -> str:
    """Return the address of an item's page; none for the rehearsal wiki, which answers only while a command runs."""
    return "" if wiki.sandbox else wiki.page_prefix + wiki.title(qid)


def snaks(reference: Reference, wiki: Wiki, labels: Mapping[str, str]) -> tuple[Snak, ...]:
    """Return a reference's snaks in words."""
    names = property_names(wiki.properties)
    return tuple(_snak(p, datatype, value, names, wiki, labels) for p, datatype, value in reference.snaks)


def property_names(p: Properties) -> dict[str, Message]:
    """Return the names of the properties that references are made of."""
    names = "stated_in reference_url retrieved heuristic doi arxiv title author_name published pages defining_formula"
    return {getattr(p, name): Message(f"property.{name}") for name in names.split()}


def with_escapes(value: object) -> object:
    """Return text with hidden and direction-changing characters shown as escapes; markup of ours passes."""
    if isinstance(value, Message):
        value = str(value)
    if isinstance(value, str) and not isinstance(value, Markup) and _HIDDEN.search(value):
        return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", value)
    return value


def _snak(
    property_id: str, datatype: str, value: str, names: Mapping[str, Message], wiki: Wiki, labels: Mapping[str, str]
) -> Snak:
    name, link, text = names.get(property_id, uncoded_message(property_id)), "", value
    if datatype == "time":
        text = value[1:11].replace("-00", "")
    elif datatype == "monolingualtext":
        text = value.partition(":")[2]
    elif is_item_id(value):
        text = f"{labels[value]} ({value})" if value in labels else value
        link = item_url(wiki, value)
    elif property_id == wiki.properties.doi:
        link = f"https://doi.org/{value}"
    elif property_id == wiki.properties.arxiv:
        link = f"https://arxiv.org/abs/{value}"
    elif is_web(value):
        link = value
    return Snak(property_id, name, text, link if is_web(link) else "")


def _shown_claim(each: ExistingClaim, tex: str, wiki: Wiki, labels: Mapping[str, str]) -> ShownClaim:
    return ShownClaim(
        drawn_formula(each.statement.value),
        each.statement.rank,
        each.comparison.relation,
        each.comparison.message if each.comparison.level else None,  # without a common key there is nothing more to say
        tuple(snaks(r, wiki, labels) for r in each.statement.references),
        each.same,
        marked_differences(each.statement.value, tex),
    )


def shown_pieces(quote: Quote) -> tuple[tuple[str, str | Markup], ...]:
    """Return a quote as it is shown: pieces of (kind, text or drawn formula)."""
    return tuple(
        (p.kind, Markup(mathml(p.text)) if p.kind in ("formula", "subject") else p.text) for p in quote_parts(quote)
    )


def _source(quote: Quote, documents: Mapping[str, Document], number: int, reference: int) -> ShownSource:
    home = documents.get(quote.document)
    return ShownSource(
        shown_pieces(quote),
        quote.title or quote.document,
        quote.document,
        quote.position + 1,
        quote.heading,
        sentence_url(quote) if is_web(quote.url) else "",
        quote.where,
        quote.name,
        home.source if home else "",
        number,
        reference,
        home.language if home else "",
    )
