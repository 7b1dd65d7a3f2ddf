"""How far the classes of laws, equations, theorems, quantities and constants are covered, and which of their items wait for a formula."""

from collections.abc import Iterator

from bot.audit.query_answers import last_coverage
from bot.audit.survey import WikiSurvey, closing_finding, make_finding
from bot.messages import Message
from bot.records import Finding, Item
from bot.wikibase import is_item_id

_LISTED = 2000  # items of the work list that are kept as findings; all are counted
_LISTED_GROUPS = 25  # classes and fields that are named, the largest ones; all are kept as figures


def coverage(survey: WikiSurvey) -> Iterator[Finding]:
    """Say for each class and field how many items have a formula and a sourced one, and what has changed since the last audit."""
    classes = survey.settings.crawling.classes
    for query, column in (("audit_coverage", "class"), ("audit_coverage_by_field", "field")):
        rows = survey.service.rows(query, least=int(column == "class"), classes=classes)
        figures = {row[column]: [int(row[c]) for c in ("items", "formulas", "referenced")] for row in rows}
        before = last_coverage(survey.workspace, query)
        survey.service.add_figures(coverage=figures)
        largest = sorted(figures, key=lambda qid: -figures[qid][0])[:_LISTED_GROUPS]
        labels = survey.client.labels_of(filter(is_item_id, largest))
        for qid in largest:
            items, formulas, sourced = figures[qid]
            growth = f"{formulas - before[qid][1]:+d}" if qid in before else "new"
            counts: dict[str, int | str] = {"items": items, "formulas": formulas, "sourced": sourced, "more": growth}
            message = Message("finding.coverage.since" if before else "finding.coverage.now", **counts)
            yield make_finding("coverage", "info", message, Item(qid, labels.get(qid, "")))


def without_formula(survey: WikiSurvey) -> Iterator[Finding]:
    """The work list: items of the classes that have an article and no formula."""
    languages = survey.settings.encyclopaedia.languages or (survey.client.wiki.language,)
    classes = survey.settings.crawling.classes
    rows = survey.service.rows("corpus_items_without_formula", classes=classes, languages=languages)
    wanted = list(dict.fromkeys(row["item"] for row in rows if row["item"] not in survey.items))
    labels = survey.client.labels_of(wanted[:_LISTED])
    for qid in wanted[:_LISTED]:
        yield make_finding(
            "without_formula", "info", Message("finding.without_formula"), Item(qid, labels.get(qid, ""))
        )
    yield closing_finding(
        "without_formula", Message("closing.without_formula", n=len(wanted), listed=min(len(wanted), _LISTED))
    )
