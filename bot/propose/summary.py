"""What a run of the stage did, and the reports that it writes."""

from dataclasses import dataclass, field

REPORTS = ("dry-run.html", "dry-run.jsonl", "dry-run.quickstatements.csv", "dry-run.wikitext")


@dataclass(frozen=True, slots=True)
class ProposeSummary:
    """What a run of the stage did. The first four and `refused` add up to what was looked at: entries, and further sources."""

    new_claims: int = 0
    add_references: int = 0
    flagged: int = 0
    symbols: int = 0  # what symbols of these formulas represent, decided with them
    already_there: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # reason -> number
    flags: dict[str, int] = field(default_factory=dict)  # first reason -> number
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    not_found_again: int = 0
    withdrawn: int = 0
    expired: int = 0
    sources_waiting: int = 0  # new ones for claims that are approved and not written: proposed once the claim is there
    could_not_ask: tuple[str, ...] = ()
    cached_answers: int = 0  # of the wiki, from the cache of an earlier run
    oldest_answer_hours: float = 0.0
    query_service_away: bool = False
    source_items: tuple[str, ...] = ()  # sentences on items that no reference can name
    seconds: float = 0.0
