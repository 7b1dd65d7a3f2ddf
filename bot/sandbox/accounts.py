"""Accounts of the rehearsal wiki: groups, rights, bot passwords and their grants.

The passwords are printed here on purpose: they open nothing but a wiki on this machine.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from bot.sandbox.package_data import load_data
from bot.settings import REHEARSAL_PASSWORD, REHEARSAL_PASSWORD_NAME, REHEARSAL_USER

BOT_USER, BOT_PASSWORD_NAME, BOT_PASSWORD = REHEARSAL_USER, REHEARSAL_PASSWORD_NAME, REHEARSAL_PASSWORD
ANONYMOUS = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Account:
    id: int
    name: str
    groups: tuple[str, ...] = ()
    password: str = ""


@dataclass(frozen=True, slots=True)
class BotPassword:
    password: str
    grants: tuple[str, ...]


ACCOUNTS = {
    account.name: account
    for account in (
        Account(1, "Admin", ("sysop", "bureaucrat", "interface-admin"), "rehearsal0admin"),
        Account(3, BOT_USER, ("bot",), "rehearsal0main0account"),
        Account(4, "PlainUser", (), "rehearsal0plain"),
        Account(5, "BlockedUser", (), "rehearsal0blocked"),
    )
}

BOT_PASSWORDS = {
    (BOT_USER, BOT_PASSWORD_NAME): BotPassword(BOT_PASSWORD, ("basic", "highvolume", "editpage", "createeditmovepage")),
    (BOT_USER, "noeditbot"): BotPassword("rehearsal0only0without0edit0grant", ("basic",)),
}

_RIGHTS: dict[str, dict[str, list[str]]] = load_data("rights")
GROUPS = _RIGHTS["groups"]
# The rights that each grant of a bot password includes; a right outside every grant is lost even to an administrator.
GRANTS = _RIGHTS["grants"]


@dataclass(frozen=True, slots=True)
class User:
    """The user of a request: an account, or an IP address."""

    id: int = 0
    name: str = ANONYMOUS
    groups: tuple[str, ...] = ("*",)
    rights: tuple[str, ...] = tuple(GROUPS["*"])

    @property
    def anonymous(self) -> bool:
        return self.id == 0

    def has_right(self, right: str) -> bool:
        return right in self.rights


@dataclass(frozen=True, slots=True)
class Editor:
    """The user who makes an edit, and whether the edit is marked as a bot's."""

    user: User
    bot: bool = False


def user_of_account(name: str, grants: tuple[str, ...] | None = None) -> User:
    """Return the user as the wiki sees it; `grants` narrows the rights to a bot password's."""
    account = ACCOUNTS[name]
    groups = (*account.groups, "*", "user", "autoconfirmed")
    rights = dict.fromkeys(right for group in groups for right in GROUPS[group])
    if grants is not None:
        granted = {right for grant in grants for right in GRANTS[grant]}
        rights = {right: None for right in rights if right in granted}
    return User(account.id, account.name, groups, tuple(rights))


def user_without_groups(user: User, groups: Collection[str]) -> User:
    """Return the user as the wiki sees it once it is out of these groups, whatever login it came with."""
    left = tuple(group for group in user.groups if group not in groups)
    rights = {right for group in left for right in GROUPS[group]}
    return replace(user, groups=left, rights=tuple(right for right in user.rights if right in rights))


def check_login(login: str, password: str) -> User | None:
    """Return the user behind `Name@botname` (or a main account) and its password, or None."""
    name, _, bot_name = login.partition("@")
    if bot_name:
        bot_password = BOT_PASSWORDS.get((name, bot_name))
        return (
            user_of_account(name, bot_password.grants) if bot_password and bot_password.password == password else None
        )
    account = ACCOUNTS.get(name)
    return user_of_account(name) if account and account.password == password else None
