"""What went wrong with the state store, by the codes of SQLite, PostgreSQL and the system."""

import errno
import sqlite3
from collections.abc import Mapping

from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError

from errata.state.errors import (
    StateDamaged,
    StateDiskFailed,
    StateFull,
    StateLocked,
    StateNotMigrated,
    StateNotWritable,
    StateUnavailable,
)

SQLITE: Mapping[int, type[StateUnavailable]] = {
    sqlite3.SQLITE_BUSY: StateLocked,
    sqlite3.SQLITE_LOCKED: StateLocked,
    sqlite3.SQLITE_FULL: StateFull,
    sqlite3.SQLITE_IOERR: StateDiskFailed,
    sqlite3.SQLITE_PERM: StateNotWritable,
    sqlite3.SQLITE_READONLY: StateNotWritable,
    sqlite3.SQLITE_CANTOPEN: StateNotWritable,
    sqlite3.SQLITE_CORRUPT: StateDamaged,
    sqlite3.SQLITE_NOTADB: StateDamaged,
}
# Of a missing table or column, SQLite has only the words.
LACKING = ("no such table", "no such column", "has no column")
POSTGRESQL: Mapping[str, type[StateUnavailable]] = {
    "25006": StateNotWritable,  # read_only_sql_transaction
    "42501": StateNotWritable,  # insufficient_privilege
    "42703": StateNotMigrated,  # undefined_column
    "42P01": StateNotMigrated,  # undefined_table
    "53100": StateFull,  # disk_full
    "55P03": StateLocked,  # lock_not_available
    "57014": StateLocked,  # query_canceled, by statement_timeout
    "58030": StateDiskFailed,  # io_error
    "XX001": StateDamaged,  # data_corrupted
    "XX002": StateDamaged,  # index_corrupted
}
# Of a connection that is refused, PostgreSQL has only the words: on a full disk it cannot keep its catalogs.
NOT_WRITTEN = "could not write init file"
FILES: Mapping[int, type[StateUnavailable]] = {errno.ENOSPC: StateFull, errno.EDQUOT: StateFull}


def of_statement(error: DBAPIError) -> StateUnavailable | None:
    """None for a mistake in a statement of ours."""
    found, reason = error.orig, str(error.orig)
    if isinstance(found, sqlite3.Error):
        kind = SQLITE.get(getattr(found, "sqlite_errorcode", 0) & 0xFF)
        if kind is None and any(words in reason for words in LACKING):
            kind = StateNotMigrated
    else:
        kind = POSTGRESQL.get(getattr(found, "pgcode", None) or "")
        if kind is None and NOT_WRITTEN in reason:
            kind = StateDiskFailed
    if kind is None and type(error) in (DatabaseError, OperationalError, InterfaceError):
        kind = StateUnavailable
    return kind(reason) if kind is not None else None


def of_file(error: OSError) -> StateUnavailable:
    return FILES.get(error.errno or 0, StateNotWritable)(error.strerror or str(error))
