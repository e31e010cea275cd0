"""The connection to SQLite or PostgreSQL: one pool that only reads, one that writes."""

import logging
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    NullPool,
    create_engine,
    event,
    func,
    insert,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from errata.errors import ErrataError, InvalidSettings
from errata.state.errors import (
    StateDamaged,
    StateMissing,
    StateNotWritable,
    StateTooNew,
    StateUnavailable,
)
from errata.state.failures import of_file, of_statement
from errata.state.job import JobState
from errata.state.table import Moment
from errata.up.data_directory import require_log, require_restored

log = logging.getLogger("errata.state")

MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_TIMEOUT_MS = 5_000
# Noting the use of a key must never hold up the request that used it.
NOTE_TIMEOUT_MS = 50
# Within the time of a check of /api/health.
TRIAL_TIMEOUT_MS = 2_000
# Together more than a sign-in writes: on a full disk, small writes may still fit where large ones fail.
TRIAL_ROWS = 100
# Arbitrary, but the same in every process: serializes migrations and the first account on PostgreSQL.
ADVISORY_LOCK = 0x0E44A7A

# Of the server, whatever this session is set to.
WHY_READ_ONLY = """
    select case
        when pg_is_in_recovery() then 'the server is a standby'
        when reset_val = 'on' then 'default_transaction_read_only is on'
        else '' end
    from pg_settings where name = 'default_transaction_read_only'
"""

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class SharedConnection(threading.local):
    """The connection of the transaction that a thread has begun for several repositories."""

    connection: Connection | None = None


class Database:
    """`is_read_only`: nothing is written, nor a file made or touched, even beside a program that writes."""

    def __init__(self, url: str, clock: Clock = utc_now, *, is_read_only: bool = False) -> None:
        parsed = parsed_url(url)
        self.clock = clock
        self.is_sqlite = parsed.get_backend_name() == "sqlite"
        self.file = Path(parsed.database or "") if self.is_sqlite else None
        self._is_read_only = is_read_only
        if self.file is not None:
            require_log(self.file)
        if self.file is not None and is_read_only:
            parsed = _untouched(self.file)
        elif self.file is not None:
            require_restored(self.file.parent)
        self._identity: tuple[int, int] | None = None
        self._is_damaged = False
        self._shared = SharedConnection()
        self._url = parsed
        self._reads = self._engine(BUSY_TIMEOUT_MS, isolation_level="AUTOCOMMIT", pool_reset_on_return=None)
        self._writes = self._engine(BUSY_TIMEOUT_MS)
        self._notes = self._engine(NOTE_TIMEOUT_MS, pool_size=1)
        # A pool of its own: callers that wait for a lock must leave its holder a connection to write by.
        self._locks = self._engine(BUSY_TIMEOUT_MS)
        # Opened each time: an open connection does not notice a damaged header.
        self._trials = self._engine(TRIAL_TIMEOUT_MS, poolclass=NullPool)

    def now(self) -> datetime:
        """Now, to the millisecond, so that responses equal stored rows."""
        now = self.clock()
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def clock_of(self, connection: Connection) -> datetime:
        """The clock of what nodes share: the database's own where nodes on several machines share one."""
        if self.is_sqlite:
            return self.now()
        now: datetime = connection.execute(select(func.clock_timestamp(type_=Moment))).scalar_one()
        return now

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        if self._shared.connection is not None:
            yield self._shared.connection
            return
        with self._translated(), self._reads.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if self._shared.connection is not None:
            yield self._shared.connection
            return
        with self._translated(), self._writes.begin() as connection:
            yield connection

    @contextmanager
    def one_transaction(self) -> Iterator[None]:
        """What this thread reads and writes here is one transaction, over all repositories: an error undoes
        all of it. Runs alone, as `writing_alone`."""
        with self.writing_alone() as connection:
            self._shared.connection = connection
            try:
                yield
            finally:
                self._shared.connection = None

    @contextmanager
    def locking(self) -> Iterator[Connection]:
        with self._translated(), self._locks.begin() as connection:
            yield connection

    def note(self, write: Callable[[Connection], None]) -> None:
        """Runs a write that may be skipped: it gives up at once when the database is busy."""
        try:
            with self._translated(), self._notes.begin() as connection:
                if not self.is_sqlite:
                    connection.execute(text(f"set local lock_timeout = {NOTE_TIMEOUT_MS}"))
                write(connection)
        except (ErrataError, SQLAlchemyError) as error:
            log.info("A note was skipped: %s", type(error).__name__)

    @contextmanager
    def writing_alone(self) -> Iterator[Connection]:
        """Runs a write alone, across processes. SQLite's write lock does that by itself."""
        with self.writing() as connection:
            if not self.is_sqlite:
                connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            yield connection

    def revision(self) -> str | None:
        """None: nothing of ours is in it yet."""
        if self.file is not None and self._identity is None and not self.file.exists():
            return None
        with self.reading() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    def pending(self) -> list[str]:
        """The revisions that `migrate` would apply, the oldest first. Raises StateTooNew."""
        known, current = revisions(), self.revision()
        if current is None:
            return known
        if current not in known:
            raise StateTooNew(current)
        return known[known.index(current) + 1 :]

    def migrate(self, to: str = "head") -> None:
        """Makes the file if there is none. Raises StateTooNew, StateDamaged."""
        if self.file is not None:
            try:
                _make_private_file(self.file)
            except OSError as error:
                raise of_file(error) from error
            self.require_sound()
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        self.pending()
        with self.writing_alone() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, to)

    def ping(self) -> None:
        """Raises StateUnavailable if nothing can be read."""
        with self.reading() as connection:
            connection.execute(text("select version_num from alembic_version"))

    def require_sound(self) -> None:
        """Reads the whole file, or asks PostgreSQL whether it takes writes; what it stores is its own affair.
        Raises StateDamaged or StateNotWritable."""
        if not self.is_sqlite:
            with self.reading() as connection:
                if reason := connection.execute(text(WHY_READ_ONLY)).scalar_one():
                    raise StateNotWritable(reason)
            return
        with self.reading() as connection:
            found = connection.execute(text("pragma quick_check(1)")).scalar_one()
        if found != "ok":
            raise StateDamaged(str(found))

    def try_write(self) -> None:
        """Raises StateUnavailable if a write would fail; nothing stays of this one."""
        if self._is_damaged:
            raise StateDamaged("a statement has met a damaged page")
        name = secrets.token_hex(8)
        same = {"holder": "", "held_until": self.now(), "failure": name.ljust(200, "-")}
        rows = [{"name": f"{name}-{number}", **same} for number in range(TRIAL_ROWS)]
        with self._translated(), self._trials.connect() as connection:
            if self.is_sqlite:
                # So small that rows go to the disk before the end of their transaction.
                connection.exec_driver_sql("pragma cache_size = 1")
            else:
                for setting in ("lock_timeout", "statement_timeout"):
                    connection.execute(text(f"set local {setting} = {TRIAL_TIMEOUT_MS}"))
            connection.execute(insert(JobState), rows)
            connection.rollback()

    def close(self) -> None:
        for engine in (self._reads, self._writes, self._notes, self._locks, self._trials):
            engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        self.require_file()
        try:
            yield
        except PoolTimeout as error:
            raise StateUnavailable("no free connection") from error
        except (IntegrityError, DataError):
            # Of values, not of the store.
            raise
        except DBAPIError as error:
            failure = of_statement(error)
            if failure is None:
                raise
            self._is_damaged |= isinstance(failure, StateDamaged)
            raise failure from error

    def require_file(self) -> None:
        """Raises StateMissing unless the path leads to the same file as at first."""
        if self.file is None:
            return
        try:
            found = self.file.stat()
        except OSError as error:
            raise StateMissing(error.strerror or "") from error
        identity = (found.st_dev, found.st_ino)
        if self._identity is None:
            self._identity = identity
        elif self._identity != identity:
            raise StateMissing("another file is in its place")

    def _engine(self, timeout_ms: int, **options: Any) -> Engine:
        if self.is_sqlite:
            engine = create_engine(self._url, connect_args={"timeout": timeout_ms / 1000}, **options)
            event.listen(engine, "connect", _begin_by_ourselves if self._is_read_only else _prepare_sqlite)
            if "isolation_level" not in options:
                event.listen(engine, "begin", _begin_immediate)
            return engine
        if self._is_read_only:
            options["execution_options"] = {"postgresql_readonly": True}
        try:
            return create_engine(
                self._url, pool_pre_ping=True, connect_args={"connect_timeout": 5}, **options
            )
        except ModuleNotFoundError:
            raise InvalidSettings(
                ["ERRATA_STATE_URL: PostgreSQL needs the extra `postgres`: pip install psycopg2-binary"]
            ) from None


def revisions() -> list[str]:
    """Those of this version, the oldest first."""
    return [script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()][::-1]


def parsed_url(url: str) -> URL:
    """The URL with its driver: PostgreSQL is reached through psycopg2, whatever driver the URL names."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidSettings(["ERRATA_STATE_URL: not a database URL"]) from None
    if parsed.get_backend_name() in {"postgresql", "postgres"}:
        parsed = parsed.set(drivername="postgresql+psycopg2")
    if parsed.get_backend_name() not in {"sqlite", "postgresql"}:
        raise InvalidSettings(["ERRATA_STATE_URL: use sqlite or postgresql"])
    if "@" in (parsed.host or ""):
        # Else the end of the password would be looked up as a host, and told.
        raise InvalidSettings(["ERRATA_STATE_URL: write @ in the user or password as %40"])
    if parsed.get_backend_name() == "sqlite" and parsed.database in {None, "", ":memory:"}:
        # Each connection would see another in-memory database.
        raise InvalidSettings(["ERRATA_STATE_URL: missing file path"])
    return parsed


def _make_private_file(path: Path) -> None:
    """Makes the file private. SQLite gives its -wal and -shm files the mode of the main one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)


def _untouched(path: Path) -> URL:
    """SQLite makes a -shm file and writes to it, even to read. Without one, nobody has the database open."""
    is_open = path.with_name(f"{path.name}-shm").exists()
    query = {"mode": "ro", "readonly_shm": "1"} if is_open else {"immutable": "1"}
    return URL.create(
        "sqlite", database=f"file:{quote(str(path.absolute()))}", query={**query, "uri": "true"}
    )


def _begin_by_ourselves(connection: sqlite3.Connection, _record: object) -> None:
    # The driver would open transactions by itself, and only before some statements.
    connection.isolation_level = None


def _prepare_sqlite(connection: sqlite3.Connection, record: object) -> None:
    _begin_by_ourselves(connection, record)
    cursor = connection.cursor()
    _use_wal(cursor)
    cursor.execute("pragma foreign_keys = on")
    # A regenerated key must not come back after a power cut.
    cursor.execute("pragma synchronous = full")
    cursor.close()


def _use_wal(cursor: sqlite3.Cursor) -> None:
    # Where several open the same new file, this fails at once, whatever the timeout.
    deadline = time.monotonic() + 1
    while True:
        try:
            cursor.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _begin_immediate(connection: Connection) -> None:
    # A transaction that reads and then writes may fail as busy whatever the timeout.
    connection.exec_driver_sql("begin immediate")
