"""Who may do what on the rehearsal wiki: accounts, groups, rights, bot passwords and their grants.

The passwords are printed here on purpose: they open nothing but a wiki on this machine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

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

GROUPS: dict[str, str] = {
    "*": "createaccount read edit createpage createtalk viewmyprivateinfo editmyprivateinfo editmyoptions item-term"
    " property-term item-merge item-redirect",
    "user": "move move-subpages move-rootuserpages move-categorypages movefile read edit createpage createtalk upload"
    " reupload reupload-shared minoredit editmyusercss editmyuserjson editmyuserjs editmyuserjsredirect"
    " applychangetags changetags editcontentmodel viewmywatchlist editmywatchlist",
    "autoconfirmed": "autoconfirmed editsemiprotected",
    "bot": "bot autoconfirmed editsemiprotected nominornewtalk autopatrol suppressredirect apihighlimits noratelimit",
    "sysop": "block createaccount delete bigdelete deletedhistory deletedtext undelete editinterface editsitejson"
    " edituserjson import importupload move move-subpages move-rootuserpages move-categorypages patrol autopatrol"
    " protect editprotected rollback upload reupload reupload-shared unwatchedpages autoconfirmed editsemiprotected"
    " ipblock-exempt blockemail markbotedits apihighlimits browsearchive noratelimit movefile unblockself"
    " suppressredirect mergehistory managechangetags deletechangetags property-create",
    "interface-admin": "editinterface editsitecss editsitejson editsitejs editusercss edituserjson edituserjs",
    "bureaucrat": "userrights noratelimit renameuser",
    "suppress": "hideuser suppressrevision viewsuppressed suppressionlog deleterevision deletelogentry",
    "propertycreator": "property-create",
}

# What each grant of a bot password lets through; a right outside every grant is lost even to an administrator.
GRANTS: dict[str, str] = {
    "basic": "autoconfirmed autopatrol editsemiprotected nominornewtalk patrolmarks read writeapi",
    "highvolume": "bot apihighlimits noratelimit markbotedits",
    "editpage": "edit minoredit applychangetags changetags editcontentmodel pagelang item-term property-term"
    " item-merge item-redirect",
    "createeditmovepage": "edit minoredit applychangetags changetags createpage createtalk delete-redirect move"
    " move-rootuserpages move-subpages move-categorypages suppressredirect",
}


@dataclass(frozen=True, slots=True)
class User:
    """Somebody at the wiki's door: an account, or an address."""

    id: int = 0
    name: str = ANONYMOUS
    groups: tuple[str, ...] = ("*",)
    rights: tuple[str, ...] = tuple(GROUPS["*"].split())

    @property
    def anonymous(self) -> bool:
        return self.id == 0

    def may(self, right: str) -> bool:
        return right in self.rights


def user(name: str, grants: tuple[str, ...] | None = None) -> User:
    """Return the user as the wiki sees it; `grants` narrows the rights to a bot password's."""
    account = ACCOUNTS[name]
    groups = (*account.groups, "*", "user", "autoconfirmed")
    rights = dict.fromkeys(right for group in groups for right in GROUPS[group].split())
    if grants is not None:
        granted = {right for grant in grants for right in GRANTS[grant].split()}
        rights = {right: None for right in rights if right in granted}
    return User(account.id, account.name, groups, tuple(rights))


def without(user: User, groups: Collection[str]) -> User:
    """Return the user as the wiki sees it once it is out of these groups, whatever login it came with."""
    left = tuple(group for group in user.groups if group not in groups)
    rights = {right for group in left for right in GROUPS[group].split()}
    return replace(user, groups=left, rights=tuple(right for right in user.rights if right in rights))


def check_login(login: str, password: str) -> User | None:
    """Return the user behind `Name@botname` (or a main account) and its password, or None."""
    name, _, bot_name = login.partition("@")
    if bot_name:
        known = BOT_PASSWORDS.get((name, bot_name))
        return user(name, known.grants) if known and known.password == password else None
    account = ACCOUNTS.get(name)
    return user(name) if account and account.password == password else None
