"""Audits of the wiki as it is now and of our edits: ledger, SPARQL and entity JSON in, Findings out.

An audit that cannot get its data says so: “could not tell” is an answer, and it is not “clean”.
"""

from bot.audit.edit_states import RemovedEdit, SurvivalAtAge, survival
from bot.audit.finding_formats import FORMATS, exit_code, render
from bot.audit.run import AUDITS, audits_of, run_audits

__all__ = [
    "AUDITS", "FORMATS", "RemovedEdit", "SurvivalAtAge", "audits_of", "exit_code", "render", "run_audits", "survival",
]  # fmt: skip
