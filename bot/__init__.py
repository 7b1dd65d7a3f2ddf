"""The formula concept bot: from scientific text to reviewed statements about formulas on a Wikibase.

The way of the data, one folder for each stage:
corpus    source files                 -> Document, Occurrence
discover  Occurrence                   -> FormulaConcept with name candidates
match     FormulaConcept + Item        -> ItemMatch with evidence and a probability
propose   ItemMatch + Item             -> Proposal with references and checks
review    Proposal + a person          -> Decision, bound to the proposal's hash
write     Decision                     -> Edit, planned first and proved additive
audit     the wiki as it is now        -> Finding
Beside the way: formula/ (the mathematics), lookup/ (reading the wiki), sandbox/ (a wiki to rehearse on).
"""

__version__ = "0.1.0"

# The library for other researchers (docs/library.md); each is imported when it is asked for, so that no command pays for it.
_LIBRARY = {
    "keys": "bot.formula", "describe": "bot.formula", "check": "bot.formula",
    "equivalent_forms": "bot.formula.generation.written_forms", "near_misses": "bot.formula.generation.written_forms",
    "compare": "bot.library", "recognise": "bot.library", "group": "bot.library",
    "FormulaRecogniser": "bot.match.training.estimator",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _LIBRARY:
        raise AttributeError(f"module 'bot' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LIBRARY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LIBRARY})
