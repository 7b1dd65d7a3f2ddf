"""Groups of formulas that are one concept written differently, by the paper's method 2: neighbours in its encodings, then alignment.

What the canonical keys tell to be one is grouped before (`group.py`); here groups with other letters, scripts or arrangements
are merged, by `Equivalents` over one spelling of each.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from bot.discover.group import ConceptGroup, Group
from bot.discover.grouping.encoding_names import USUAL, Encoding
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.discover.grouping.formula_facts import CachedFacts

NEIGHBOURS = 10  # in each encoding, chosen: keys and shapes find nearly all candidates (docs/discover.md)
# Of the evidence: what makes two formulas two statements, however alike they are
DECISIVE_DIFFERENCES = ("turned", "constants")
MAX_GROUPS = 20_000  # groups, those in most documents: rarer ones are left as the keys group them


def merge_equivalents(
    found: Sequence[ConceptGroup],
    encodings: Sequence[Encoding] = USUAL,
    facts: CachedFacts | None = None,
) -> list[ConceptGroup]:
    """Return the groups, each with those merged into it that are likely the same concept, in the order given.

    A group is merged into the one in more documents, and only where its probability with that very group reaches the fitted
    threshold: a chain of small changes merges nothing. Two groups that documents plainly name differently stay apart.
    """
    heads = [head for head, _ in found]
    facts = facts or CachedFacts()
    by_documents = sorted(range(len(heads)), key=lambda n: heads[n].order)
    several = zip(by_documents, facts.of([heads[n].representative for n in by_documents]), strict=True)
    # A chain states more than one thing
    order = list(islice((n for n, each in several if len(each.shapes) == 1), MAX_GROUPS))

    def single() -> Iterator[FormulaInContext]:
        for head in map(heads.__getitem__, order):
            keys = head.strict_keys[head.representative], head.key, *head.weaker_keys.values()
            yield FormulaInContext(head.representative, "", tuple(head.words), keys, head.leaves)

    model = Equivalents(NEIGHBOURS, encodings, facts=facts).fit(
        single(), spread=((g.representative, g.documents) for head, others in found for g in (head, *others))
    )
    model.align_all()
    done: set[int] = set()  # ranks in the order: those before, and those that are merged
    members = {n: list(others) for n, (_, others) in enumerate(found)}
    for rank, n in enumerate(order):
        if rank in done:
            continue
        done.add(rank)
        for neighbour in model.likely_neighbours(rank, without=done):
            other = order[neighbour.row]
            differs = model.difference(rank, neighbour.row)
            if any(differs.get(name) for name in DECISIVE_DIFFERENCES) or _have_different_names(
                heads[n], heads[other], differs
            ):
                continue
            done.add(neighbour.row)
            for group in (heads[other], *members.pop(other)):
                group.join(neighbour.level or "K5")
                members[n].append(group)
    return [(head, members[n]) for n, (head, _) in enumerate(found) if n in members]


def _have_different_names(one: Group, other: Group, differs: Mapping[str, float]) -> bool:
    """Say whether names speak against one concept.

    With a letter changed that the corpus does not choose freely, any two likely names do: tangential acceleration is an
    acceleration, but not every acceleration is tangential. Otherwise only names that documents plainly say do: words beside
    a formula are often about something else.
    """
    changed = differs.get("others", 0) > 0
    names = [group.best_name() if changed else group.explicit_name() for group in (one, other)]
    return all(names) and names[0] != names[1]
