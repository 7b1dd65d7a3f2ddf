"""What a database's error means and what a person can do about it, by the driver's error code and never by its text."""

import sqlite3
from enum import Enum

import sqlalchemy as sa


class DatabaseFault(Enum):
    """A kind of database error; the value is the code of what to do."""

    BUSY = "database_busy"
    FULL = "database_full"
    INPUT_OUTPUT = "database_io"
    READ_ONLY = "database_rights"
    SCHEMA = "database_schema"
    DAMAGED = "database_damaged"
    UNREACHABLE = "database_away"


_SQLITE = {
    sqlite3.SQLITE_ERROR: DatabaseFault.SCHEMA,
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED), DatabaseFault.BUSY),
    sqlite3.SQLITE_FULL: DatabaseFault.FULL,
    sqlite3.SQLITE_IOERR: DatabaseFault.INPUT_OUTPUT,
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN), DatabaseFault.READ_ONLY),
    **dict.fromkeys((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB), DatabaseFault.DAMAGED),
}
_MARIADB = {
    **dict.fromkeys((1054, 1072, 1091, 1146, 1364), DatabaseFault.SCHEMA),
    **dict.fromkeys((1205, 1213), DatabaseFault.BUSY),
    **dict.fromkeys((1021, 1114), DatabaseFault.FULL),
    **dict.fromkeys((1142, 1143, 1227, 1290, 1836), DatabaseFault.READ_ONLY),
    **dict.fromkeys((126, 127, 145, 1034, 1194), DatabaseFault.DAMAGED),
    **dict.fromkeys((1040, 1044, 1045, 1049, 2002, 2003, 2006, 2013, 2055), DatabaseFault.UNREACHABLE),
}
_POSTGRESQL = {  # SQLSTATE, whole or its class
    **dict.fromkeys(("42703", "42P01"), DatabaseFault.SCHEMA),
    **dict.fromkeys(("42501", "25006"), DatabaseFault.READ_ONLY),
    **dict.fromkeys(("40", "55"), DatabaseFault.BUSY),
    "53": DatabaseFault.FULL,
    **dict.fromkeys(("08", "28", "57"), DatabaseFault.UNREACHABLE),
    "XX": DatabaseFault.DAMAGED,
}


def fault_kind(error: sa.exc.DBAPIError) -> DatabaseFault | None:
    """Return the kind of a database's error, None for one that is not told by its code."""
    cause = error.orig
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return _SQLITE.get(code & 0xFF)
    number = cause.args[0] if cause is not None and cause.args else None
    if isinstance(number, int):
        return _MARIADB.get(number)
    state = str(getattr(cause, "sqlstate", "") or getattr(cause, "pgcode", "") or "")
    return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
