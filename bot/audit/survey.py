"""The data of all audits, fetched once: the workspace, the wiki's items with formulas, our edits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TypeVar

import sqlalchemy as sa

from bot import store
from bot.audit.coverage import ItemsWithFormula, check_any_exist, read_items_with_formula
from bot.audit.query_answers import QueryService
from bot.errors import BotError
from bot.lookup import Client
from bot.messages import Message, to_json
from bot.records import Edit, EditOutcome, Finding, Item, Severity, Statement
from bot.settings import Settings
from bot.store import Workspace
from bot.wikibase import Json
from bot.write import ledger

T = TypeVar("T")
FormulaStatement = tuple[Item, Statement]


@dataclass
class WikiSurvey:
    """Shared by the audits of one run. What could not be fetched is not asked for again: the failure is kept."""

    workspace: Workspace
    wiki: Client | BotError  # the error where the wiki could not be opened
    settings: Settings
    now: datetime
    head: str = ""  # of the ledger's hash chain, kept elsewhere
    accept_drop: bool = False  # take what is found now, however little, as the measure for later audits
    _others: dict[str, Item] = field(default_factory=dict)

    @property
    def client(self) -> Client:
        """The wiki. Raises BotError where there is none to ask."""
        return _or_raise(self.wiki)

    @cached_property
    def service(self) -> QueryService:
        """The query service, with what it answered in this run. Raises BotError where there is none to ask."""
        return QueryService(self.client, self.settings.audit, self.now)

    @cached_property
    def _covered(self) -> ItemsWithFormula | BotError:
        edited = {row.qid for row in self.edits}
        undone = {row.qid for row in self.undone_edits}
        try:
            return read_items_with_formula(
                self.workspace, self.client, edited, undone, accept_drop=self.accept_drop, more=self._properties
            )
        except BotError as error:
            return error

    @property
    def _properties(self) -> tuple[str, ...]:
        """The properties that audits read besides that of the formula."""
        ids = self.client.wiki.properties
        found = [ids.part_of, ids.same_as, ids.subclass_of, ids.quantity_symbol, ids.quantity_symbol_string]
        return tuple(filter(None, [*found, ids.dimension, ids.recommended_unit, ids.measured_quantity]))

    def items_without_formula(self, qids: Iterable[str]) -> dict[str, Item]:
        """Return items that need have no formula, such as quantities and units, read anew. Raises LookupFailed."""
        wanted = list(dict.fromkeys(qids))
        loaded = {qid: self.items[qid] for qid in wanted if qid in self.items}
        more = tuple(self._properties)
        loaded |= {qid: item for qid, item in self._others.items() if qid in wanted}
        missing = [qid for qid in wanted if qid not in loaded]
        self._others |= (new := self.client.entities(missing, fresh=True, more=more))
        return loaded | new

    @property
    def items(self) -> Mapping[str, Item]:
        """Every item with a formula, read anew. Raises LookupFailed, also where fewer are found than must be there."""
        return _or_raise(self._covered).items

    @property
    def unlisted(self) -> int:
        """How many of the items the query service does not list. Raises LookupFailed."""
        return _or_raise(self._covered).unlisted

    @cached_property
    def formulas(self) -> list[FormulaStatement]:
        """Every formula statement with a value that is not deprecated. Raises LookupFailed."""
        return formula_statements(self.items.values(), self.client.wiki.properties.defining_formula)

    @cached_property
    def all_edits(self) -> list[Edit]:
        """The ledger rows of all our written edits, in order."""
        query = sa.select(store.edits).where(store.edits.c.outcome == EditOutcome.WRITTEN).order_by(store.edits.c.n)
        return ledger.rows_of_query(self.workspace, query)

    @cached_property
    def edits(self) -> list[Edit]:
        """The ledger rows of our written edits that are not undone."""
        return [row for row in self.all_edits if not row.undone]

    @cached_property
    def undone_edits(self) -> list[Edit]:
        """The ledger rows of our written edits that are undone."""
        return [row for row in self.all_edits if row.undone]

    @cached_property
    def _entities(self) -> dict[str, Json] | BotError:
        try:
            found = self.client.raw_entities(sorted({row.qid for row in self.edits}))
            if not self.accept_drop:
                check_any_exist(found)
        except BotError as error:
            return error
        return found

    @property
    def entities(self) -> dict[str, Json]:
        """Entity JSON, fetched anew, of every item we wrote to. Raises LookupFailed."""
        return _or_raise(self._entities)

    @property
    def timestamp(self) -> str:
        """When this run is, as the workspace keeps times."""
        return store.stamp(self.now)


def formula_statements(items: Iterable[Item], property_id: str) -> list[FormulaStatement]:
    """Return the live formula statements of items; a merged item has them under its own id only."""
    return [(item, each) for item in items if not item.redirect for each in item.live_statements(property_id)]


def make_finding(
    audit: str, severity: Severity, message: Message, item: Item | None = None, evidence: str = "", *formulas: str
) -> Finding:
    """Return a finding, about one item where one is given."""
    qid, label = (item.qid, item.label) if item else ("", "")
    return Finding(audit, qid, severity, str(message), evidence, label, tuple(formulas), message=to_json(message))


def closing_finding(audit: str, message: Message) -> Finding:
    """Return the closing line of an audit: how much it checked."""
    return make_finding(audit, "info", message)


def item_text(qid: str, label: str) -> str:
    """Return “Q42 (Douglas Adams)”, or the id alone."""
    return f"{qid} ({label})" if label else qid


def is_audit_note(finding: Finding) -> bool:
    """Tell a closing line (how much an audit checked, or why it could not) from a finding."""
    return not finding.item and finding.severity in ("info", "unknown")


def _or_raise(value: T | BotError) -> T:
    if isinstance(value, BotError):
        raise value
    return value
