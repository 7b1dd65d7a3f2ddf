"""Where formulas come from: none, weak or dead references."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.audit import query_answers
from bot.audit.formulas import closing_line, with_closing_line
from bot.audit.survey import WikiSurvey, make_finding
from bot.errors import LookupFailed
from bot.lookup.exchange import DeadlineExceeded, Exchange, ResponsePolicy, TransientError, UnusableAnswer
from bot.messages import Message
from bot.propose.references import is_public, registrable_domain
from bot.records import Finding, Reference, Severity, Statement
from bot.settings import Properties
from bot.wikibase import is_item_id

_WIKIMEDIA = frozenset(
    "wikipedia.org wikimedia.org wikidata.org wikibooks.org wikiversity.org wikiquote.org wikisource.org dbpedia.org".split()
)
_DEAD_STATUS = (404, 410)
_TIMEOUT = 20.0  # seconds for one address, chosen
_MAX_BYTES = 1 << 20  # bytes that are read of an answer: only its status counts


def unreferenced(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas that name no source."""
    without_reference = {s.guid: (item, s) for item, s in survey.formulas if not s.references}
    listed = {query_answers.statement_guid(row["statement"]) for row in survey.service.rows("audit_unreferenced")}
    for item, statement in without_reference.values():
        yield make_finding(
            "unreferenced", "warning", Message("finding.unreferenced"), item, statement.guid, statement.value
        )
    yield closing_line(survey, "unreferenced", len(without_reference))
    query_answers.check_agreement("audit_unreferenced", listed, without_reference, survey.client.wiki.sparql)


def weak_references(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas whose references all name a Wikimedia project: a wiki cannot be a wiki's source."""
    ids = survey.client.wiki.properties
    weak = {
        s.guid: (item, s) for item, s in survey.formulas if s.references and all(_weak(r, ids) for r in s.references)
    }
    listed = {query_answers.statement_guid(row["statement"]) for row in survey.service.rows("audit_weak_references")}
    for item, statement in weak.values():
        message = Message("finding.weak_references", n=len(statement.references))
        yield make_finding("weak_references", "warning", message, item, statement.guid, statement.value)
    yield closing_line(survey, "weak_references", len(weak))
    # Addresses of wikis are known to be weak here and not to the query.
    query_answers.check_agreement("audit_weak_references", listed, listed & weak.keys(), survey.client.wiki.sparql)


def _weak(reference: Reference, ids: Properties) -> bool:
    """Say whether a reference names a Wikimedia project and nothing else that could be looked up."""
    named_ = {prop: value for prop, _, value in reference.snaks}
    if ids.reference_url in named_ and registrable_domain(named_[ids.reference_url]) not in _WIKIMEDIA:
        return False
    secondary = {ids.imported_from, ids.import_url, ids.reference_url, ids.retrieved, ids.heuristic}
    return named_.keys() <= secondary and bool(named_.keys() - {ids.retrieved, ids.heuristic})


@with_closing_line
def dead_sources(survey: WikiSurvey) -> Iterator[Finding]:
    """References to items that are deleted or merged away."""
    ids = survey.client.wiki.properties
    survey.service.rows("audit_reference_sources")
    cited = {
        value: None for _, s in survey.formulas for r in s.references for p, _, value in r.snaks if p == ids.stated_in
    }
    sources = survey.items_without_formula(qid for qid in cited if is_item_id(qid))
    for item, statement in survey.formulas:
        for qid in _referenced_items(statement, ids.stated_in):
            source = sources.get(qid)
            if source is None or not (source.missing or source.redirect):
                continue
            message = Message("finding.dead_sources.missing", source=qid)
            if source.redirect:  # the wiki follows it, and a bot resolves it in time
                message = Message("finding.dead_sources.merged", source=qid, target=source.redirect)
            severity: Severity = "info" if source.redirect else "warning"
            yield make_finding("dead_sources", severity, message, item, statement.guid, statement.value)


def dead_links(survey: WikiSurvey) -> Iterator[Finding]:
    """References to addresses that answer 404 or 410; a request for each address, so only when asked for by name."""
    ids, found, unknown = survey.client.wiki.properties, 0, 0
    rows = survey.service.rows("audit_reference_sources")
    addresses = dict.fromkeys(row["source"] for row in rows if row["source"].startswith(("http://", "https://")))
    states = {address: _is_reachable(address, survey) for address in addresses}
    for item, statement in survey.formulas:
        for address in _referenced_items(statement, ids.reference_url):
            state = states.get(address)
            unknown += state is None and address in states
            if state is False:
                found += 1
                message = Message("finding.dead_links", address=address)
                yield make_finding("dead_links", "warning", message, item, statement.guid, statement.value)
    yield closing_line(survey, "dead_links", found)
    if unknown:
        raise LookupFailed("addresses_unknown", n=unknown)


def _is_reachable(address: str, survey: WikiSurvey) -> bool | None:
    """Tell whether there is a page at an address; None where that is unknown.

    Only public host names are asked: a text on a wiki must not make the bot send requests into its own network.
    """
    if not is_public(address) and urlsplit(address).hostname != urlsplit(survey.client.wiki.api).hostname:
        return None
    agent = survey.client.agent
    http = Exchange(f"{agent.name} ({agent.contact or 'no contact'})", _TIMEOUT, ResponsePolicy(_MAX_BYTES))
    try:
        status = http.send("GET", address).status
    except (DeadlineExceeded, UnusableAnswer, TransientError):
        return None
    finally:
        http.close()
    return True if status == 200 else False if status in _DEAD_STATUS else None


def _referenced_items(statement: Statement, property_id: str) -> list[str]:
    found = (value for r in statement.references for prop, _, value in r.snaks if prop == property_id)
    return list(dict.fromkeys(found))
