"""Who may decide: reviewers known to the workspace. A decision without one of them is not recorded."""

import re

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import ReviewError
from bot.messages import Message
from bot.review.sessions import end_all_sessions
from bot.store import Workspace, now

SCRIPTED_ROLE = "stand-in"  # role of a scripted reviewer, in rehearsals only; it says so everywhere
ROLES = ("reviewer", "operator", SCRIPTED_ROLE)


def add_reviewer(workspace: Workspace, name: str, role: str = "reviewer") -> str:
    """Make a person known to the workspace; adding the same one again changes the role only.

    Raises ReviewError for an unusable name or an unknown role.
    """
    name = name.strip()
    if not re.fullmatch(r"[^\x00-\x1f#<>\[\]|{}]{1,100}", name):
        raise ReviewError(Message("error.person_name", name=repr(name)), todo="account_name")
    if role not in ROLES:
        raise ReviewError(Message("error.role", given=repr(role)), todo="known", known=", ".join(ROLES))
    people = store.reviewers
    if (reviewers(workspace).get(name, role) == SCRIPTED_ROLE) != (role == SCRIPTED_ROLE):
        raise ReviewError("script_name", where=name, todo="other_name")
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        changed = db.execute(people.update().where(people.c.name == name).values(role=role)).rowcount
        if role == SCRIPTED_ROLE:
            end_all_sessions(db, name)
        if not changed:
            db.execute(people.insert().values(name=name, role=role, added=now()))
        hashchain.note_authority(db)
    return name


def remove_reviewer(workspace: Workspace, name: str) -> None:
    """Forget a person: no further decision, no session, no token. What they decided stays. Raises ReviewError for a stranger."""
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        if not db.execute(store.reviewers.delete().where(store.reviewers.c.name == name)).rowcount:
            raise ReviewError("no_reviewer", name=repr(name))
        end_all_sessions(db, name)
        leased = store.queue.update().where(store.queue.c.lease == name)
        db.execute(leased.values(lease="", until=""))
        hashchain.note_authority(db)


def reviewers(workspace: Workspace) -> dict[str, str]:
    """Return name -> role of everybody known to the workspace."""
    query = sa.select(store.reviewers).order_by(store.reviewers.c.name)
    return {row["name"]: row["role"] for row in workspace.rows(query)}


def known_reviewer(workspace: Workspace, name: str = "") -> str:
    """Return `name` if the workspace knows it; without a name, the only one known.

    Raises ReviewError where that leaves a doubt about who decides.
    """
    registered = reviewers(workspace)
    if name and name in registered:
        return name
    if not registered:
        raise ReviewError("no_reviewers", todo="add_reviewer")
    names = ", ".join(registered)
    if name:
        raise ReviewError(Message("error.no_reviewer", name=repr(name)), todo="known", known=names)
    if len(registered) > 1:
        raise ReviewError(Message("error.several_reviewers"), todo="which_reviewer", known=names)
    return next(iter(registered))
