"""QuickStatements: values and the CSV of claims with their references, as the queue and what people approved are exported."""

import csv
import io
from collections.abc import Sequence

from bot.records import Proposal, Reference


def claims_csv(claims: Sequence[Proposal], properties: Sequence[str]) -> str:
    """Return a row for each claim, a column for each of the properties and their qualifiers, and a group of columns for each reference.

    A capital S opens a reference and a small s goes on with it, so every leading property has columns of its own.
    """
    most: dict[tuple[str, ...], int] = {}
    for claim in claims:
        shapes = [_shape(reference) for reference in claim.references]
        for shape in shapes:
            most[shape] = max(most.get(shape, 0), shapes.count(shape))
    groups = [(shape, n) for shape in sorted(most) for n in range(most[shape])]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    names = [("s" if n else "S") + name[1:] for shape, _ in groups for n, name in enumerate(shape)]
    columns = [(name, qualifier) for name in properties for qualifier in ("", *_qualifiers(claims, name))]
    table.writerow(["qid", *(f"qal{qualifier[1:]}" if qualifier else name for name, qualifier in columns), *names])
    for claim in claims:
        own = {"": text(claim.tex)} | {name: value(datatype, v) for name, datatype, v in claim.qualifiers}
        cells = [claim.qid, *(own.get(qualifier, "") if name == claim.property else "" for name, qualifier in columns)]
        for shape, n in groups:
            same_shape = [reference for reference in claim.references if _shape(reference) == shape]
            cells += [value(d, v) for _, d, v in same_shape[n].snaks] if n < len(same_shape) else [""] * len(shape)
        table.writerow(cells)
    return out.getvalue()


def _qualifiers(claims: Sequence[Proposal], name: str) -> list[str]:
    return sorted({qualifier for claim in claims if claim.property == name for qualifier, _, _ in claim.qualifiers})


def value(datatype: str, raw: str) -> str:
    if datatype == "wikibase-item":
        return raw
    if datatype == "monolingualtext":
        language, _, content = raw.partition(":")
        return f"{language}:{text(content)}"
    # 11 is the precision of a day, 10 of a month, 9 of a year.
    return f"{raw}/{11 - raw.count('-00')}" if datatype == "time" else text(raw)


def text(raw: str) -> str:
    """A tab or a line break would end the field; TeX means a blank by either."""
    return f'"{" ".join(raw.split())}"' if any(c in raw for c in "\t\r\n") else f'"{raw}"'


def _shape(reference: Reference) -> tuple[str, ...]:
    return tuple(name for name, _, _ in reference.snaks)
