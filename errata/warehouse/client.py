"""The one way to the warehouse: SQL files with bound parameters, through clickhouse-connect."""

import logging
import re
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, DatabaseError, OperationalError
from clickhouse_connect.driver.external import ExternalData
from urllib3 import HTTPResponse
from urllib3.exceptions import HTTPError

from errata.deflated import CHUNK_BYTES, Deflated, deflated
from errata.errors import ErrataError
from errata.warehouse.addresses import addresses_of
from errata.warehouse.asked import Asked, Table, note, recorded
from errata.warehouse.asked_ahead import AHEAD_SECONDS, AskedAhead, one_question
from errata.warehouse.cache import FOR_EVER, SHARED_SECONDS, Cache
from errata.warehouse.connection import Connection, by_preference
from errata.warehouse.logins import Login
from errata.warehouse.native import Types, UnreadableRows, blocks
from errata.warehouse.presence import PROBE_AGAIN_SECONDS
from errata.warehouse.published import (
    FILTERS_SETTING,
    conditions,
    is_asked_ahead,
    mark_read,
    marts_of,
    projects_of,
    reads_published_rows_alone,
    table_filters,
)
from errata.warehouse.row_policies import PROJECTS_SETTING, named
from errata.warehouse.sql import query
from errata.warehouse.statement import known

log = logging.getLogger("errata.warehouse")

# The warehouse enforces it, however long the sender of the rows waits: watermarks rely on it.
INSERT_TIMEOUT_SECONDS = 20
# A running statement reports its progress: after this long a silence the warehouse is probed.
SILENCE_SECONDS = 6
# A caller waits up to a second for each look: too long for each, while another server answers them.
AGAIN_WITHIN_SHARD_SECONDS = 5.0
# A result is buffered in memory: as a file it would be lost on a full disk.
ANSWER_BUFFER_BYTES = 4 << 20
TIMEOUT, MEMORY, TYPE_MISMATCH = 159, 241, 53
# A replica without Keeper takes no rows, and tells it after a second instead of waiting.
KEEPER_RETRIES = 3
WITHOUT_KEEPER = (242, 319, 999)
# Over the limits of rows or bytes to read, of memory, of rows or bytes to return.
OF_WORK = (158, 307, MEMORY, 396)


COLUMN = re.compile(r"\w+ \w+(?:\([^)]*\))?")

# Exceptions that the driver passes on while it reads a body.
FAILURES = (ClickHouseError, HTTPError)


class WarehouseUnavailable(ErrataError):
    """The warehouse did not answer: away, starting or out of resources. Not `is_away`: it answers pings."""

    code = "warehouse_unavailable"

    def __init__(self, address: str, reason: str, is_away: bool = True) -> None:
        super().__init__(f"The warehouse at {address} did not respond: {reason}")
        self.address = address
        self.reason = reason
        self.is_away = is_away


class QueryFailed(ErrataError):
    """The warehouse answered with an error of its own."""

    code = "query_failed"

    def __init__(self, reason: str, clickhouse_code: int) -> None:
        super().__init__(f"The warehouse rejected a query (code {clickhouse_code}): {reason}")
        self.reason = reason
        self.clickhouse_code = clickhouse_code


class LimitReached(QueryFailed):
    """A statement was ended at a limit."""

    def __init__(self, reason: str = "", clickhouse_code: int = 0) -> None:
        super().__init__(reason, clickhouse_code)


class TooMuchToRead(LimitReached):
    """A question over the limits of work for one statement: it is so however idle the server is."""

    code = "too_much_to_read"
    # What to change in the request; the endpoint's own parameters make it more specific.
    remedy = "choose a shorter period or add filters"

    def __str__(self) -> str:
        return f"Too much data to read: {self.remedy}. After an upgrade, wait until tables have been rebuilt."


class NoAnswerInTime(LimitReached):
    """Work within its limits that takes too long, or memory that others use: the server is busy."""

    code = "no_answer_in_time"

    def __str__(self) -> str:
        return "The server is busy and didn't respond in time. Try again in a minute."


Row = dict[str, Any]
Parameters = Mapping[str, Any]
Value = TypeVar("Value")
Result = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""Names of columns, and the values by row or by column."""


class Warehouse:
    """A client of the warehouse. Thread-safe. `url` is http(s)://user:password@host:port of a ClickHouse HTTP
    interface, or has the addresses of all replicas of a shard: `@host:port,host:port`. The first one that is
    ready is used, and one that was away only ten seconds after it came back, unless no other is ready.

    `timeout_seconds` is the longest silence of a server that answers pings; it is pinged after
    `silence_seconds`. One that does not answer the ping is away, and nobody waits for it until it is back.
    `cache` keeps results of statements that read published rows alone.
    """

    def __init__(
        self,
        url: str,
        settings: Mapping[str, Any] | None = None,
        timeout_seconds: int = INSERT_TIMEOUT_SECONDS * 3,
        silence_seconds: int | None = None,
        cache: Cache | None = None,
    ) -> None:
        self._user = Login.of(url).name
        self._of_statements: dict[str, Any] = {}
        self._shared_seconds = 0.0
        self._types: dict[str, Types] = {}
        self.cache = cache
        self._timeout_seconds = timeout_seconds
        self._silence_seconds = silence_seconds or timeout_seconds
        addresses = addresses_of(url)
        again_seconds = PROBE_AGAIN_SECONDS if len(addresses) == 1 else AGAIN_WITHIN_SHARD_SECONDS
        self._connections = tuple(
            Connection(
                address,
                settings or {},
                timeout_seconds,
                self._silence_seconds,
                again_seconds,
                is_replica=len(addresses) > 1,
            )
            for address in addresses
        )
        self.address = ", ".join(one.place for one in self._connections)
        self.asked_ahead = AskedAhead(self)

    def require(self) -> None:
        """Raises WarehouseUnavailable while the warehouse is known to be away."""
        if not self.is_there():
            raise WarehouseUnavailable(self.address, "no response")

    def of(self, projects: Sequence[int]) -> "Warehouse":
        """The client of the shard that has these projects; of projects on several shards, one of all of
        them. Outside of a cluster there is one."""
        return self

    def shard_number(self, project_id: int) -> int:
        """Of the shard that has the project."""
        return 1

    def by_shard(
        self, projects: Iterable[int], *, is_writing: bool = False
    ) -> "Sequence[tuple[Warehouse, Sequence[int]]]":
        """The shards that have these projects, each with those that it has; nothing without projects. Raises
        WarehouseUnavailable for who `is_writing` to a project that is just being moved."""
        named = list(projects)
        return [(self, named)] if named else []

    def shards(self) -> "Sequence[Warehouse]":
        """A client of each shard, for what belongs to no project."""
        return [self]

    def there(self) -> "Sequence[Warehouse]":
        """The shards that are there, as far as is known: all, if none is."""
        return [self]

    def reachable(self, projects: Iterable[int]) -> list[int]:
        """Those of the projects whose shards are there: others must not wait for one that is away."""
        return list(projects)

    def any(self) -> "Warehouse":
        """A shard that is there, for what is the same on all."""
        return self

    def is_there(self) -> bool:
        """Whether a server is there, as far as is known."""
        return next(by_preference(self._connections), None) is not None

    @property
    def timeout(self) -> timedelta:
        """The longest time for one statement before it counts as unanswered."""
        return timedelta(seconds=self._timeout_seconds)

    @property
    def shared_seconds(self) -> float:
        """The age up to which answers are given to all who ask the same."""
        return self._shared_seconds

    def _connected(self) -> Connection:
        """The server in use. Nothing has been sent to it, so any that can be connected to will do."""
        failure = WarehouseUnavailable(self.address, "no response")
        for connection in by_preference(self._connections):
            try:
                connection.open()
            except FAILURES as error:
                connection.presence.lost()
                failure = WarehouseUnavailable(connection.place, _first_line(error))
                failure.__cause__ = error
            else:
                return connection
        raise failure

    def _send(self, send: Callable[[Client], Value]) -> Value:
        """For a statement that must not run twice: without an answer it fails, and the next one goes to
        another server."""
        return self._send_to(self._connected(), send)

    def _send_again(self, send: Callable[[Client], Value], *, to_same: bool) -> Value:
        """For a statement that may run twice: without an answer it is sent once more, to the server then in
        use; `to_same`: also if that is the one that did not answer."""
        connection = self._connected()
        try:
            return self._send_to(connection, send)
        except WarehouseUnavailable as error:
            used = self._connected()
            if used is connection and not to_same:
                raise
            log.warning("%s Sent again to %s.", error, used.place)
            return self._send_to(used, send)

    def _send_to(self, connection: Connection, send: Callable[[Client], Value]) -> Value:
        try:
            return send(connection.open())
        except FAILURES as error:
            code = getattr(error, "code", None)
            is_refused = isinstance(error, DatabaseError) and not isinstance(error, OperationalError)
            if code in WITHOUT_KEEPER:
                connection.readiness.lost()
                raise WarehouseUnavailable(connection.place, _first_line(error)) from error
            if is_refused and code is not None:
                raise QueryFailed(_first_line(error), int(code)) from error
            is_away = connection.presence.lost()
            raise WarehouseUnavailable(connection.place, _first_line(error), is_away) from error

    def cached(self, key: Hashable, compute: Callable[[], Value], seconds: float = FOR_EVER) -> Value:
        """The value of `key` in the cache of this process, at most `seconds` old; without a cache, computed
        each time.

        The key names everything that the value depends on: the question, its parameters, published versions.
        Statements that it took are kept with it, for those who record what a page asks.
        """
        if self.cache is None:
            return compute()

        def with_statements() -> tuple[Value, list[Asked]]:
            with recorded() as asked:
                return compute(), asked

        kept: tuple[Value, list[Asked]] = self.cache.get(key, with_statements, seconds)
        for each in kept[1]:
            _note(each)
        return kept[0]

    def limited(self, seconds: float) -> "Warehouse":
        """The same connection, with a limit of time for each statement."""
        same = copy(self)
        same._of_statements = {**self._of_statements, "max_execution_time": max(1, round(seconds))}
        return same

    def shared(self, seconds: float | None = None) -> "Warehouse":
        """The same connection, for pages that many look at: answers up to so old, or else SHARED_SECONDS, are
        given to all who ask the same."""
        same = copy(self)
        same._shared_seconds = SHARED_SECONDS if seconds is None else seconds
        return same

    def uncached(self) -> "Warehouse":
        """The same connection, for parts of what is kept as a whole."""
        same = copy(self)
        same.cache = None
        return same

    def ping(self) -> bool:
        return any(one.answers() for one in self._connections)

    def servers(self) -> Mapping[str, bool]:
        """Whether each server, by `host:port`, answers and is ready."""
        return {one.place: one.answers() and one.readiness.is_ready() for one in self._connections}

    @property
    def has_others(self) -> bool:
        """Whether there are several servers."""
        return len(self._connections) > 1

    def rows(
        self,
        sql: str,
        parameters: Parameters | None = None,
        settings: Mapping[str, Any] | None = None,
        tables: Sequence[Table] = (),
    ) -> list[Row]:
        """The result as dictionaries; the statement reads `tables` by their names."""
        names, values = self._fetch(sql, parameters, settings, tables, is_by_column=False)
        return [dict(zip(names, row, strict=True)) for row in values]

    def table(
        self,
        name: str,
        columns: str,
        sql: str,
        parameters: Parameters | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Table:
        """The result as a table for other statements; `columns` are its names and types."""
        asked = self.asked(sql, parameters, settings)

        def fetch(client: Client) -> bytes:
            return client.raw_query(
                asked.statement,
                parameters=asked.parameters,
                settings=self._query_settings(asked.settings),
                fmt="RowBinary",
            )

        if not self._shared_seconds:
            return Table(name, columns, self._read(fetch), asked)
        key = (name, sql, repr(sorted(asked.parameters.items())), repr(sorted(asked.settings.items())))
        return Table(name, columns, self.cached(key, lambda: self._read(fetch), self._shared_seconds), asked)

    def packed(
        self, columns: str, keys: Sequence[str], sql: str, parameters: Parameters | None = None
    ) -> tuple[list[Sequence[Any]], Asked]:
        """The result by row, each as the values of its `keys` and, as bytes, the row of a `Table` with these
        `columns`."""
        asked = self.asked(sql, parameters)
        names = ", ".join(one.split()[0] for one in COLUMN.findall(columns))
        text = query("packed_rows").at(keys=", ".join(keys), packed=names, rows=asked.statement)

        def fetch(client: Client) -> list[Sequence[Any]]:
            settings = self._query_settings(asked.settings)
            rows = client.query(text, parameters=asked.parameters, settings=settings).result_rows
            return [(*values, bytes.fromhex(row)) for *values, row in rows]

        return self._read(fetch), asked

    def text(self, sql: str, parameters: Parameters | None = None) -> Deflated:
        """The text that is the result's only value, never held as a whole; empty: there is no row."""
        asked = self.asked(sql, parameters, None)

        def fetch(client: Client) -> Deflated:
            answer = client.raw_stream(
                asked.statement,
                parameters=asked.parameters,
                settings=self._query_settings(asked.settings),
                fmt="RawBLOB",
            )
            assert isinstance(answer, HTTPResponse)
            with closing(answer):
                return deflated(iter(lambda: answer.read(CHUNK_BYTES), b""))

        return self._read(fetch)

    def stream(self, text: str, form: str, settings: Mapping[str, Any]) -> Iterator[bytes]:
        """The result of a text that somebody else wrote, in pieces, in a form of the engine. It has begun
        when this returns, and is read while the caller goes on. Raises QueryFailed, also then."""
        chosen = self._query_settings(settings)
        answer = self._read(lambda client: client.raw_stream(text, settings=chosen, fmt=form))
        assert isinstance(answer, HTTPResponse)
        return _pieces(answer)

    def columns(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Sequence[Any]]:
        """The result by column, for many rows; without rows, no columns."""
        names, values = self._fetch(sql, parameters, settings, (), is_by_column=True)
        return dict(zip(names, values, strict=True))

    def _fetch(
        self,
        statement: str,
        parameters: Parameters | None,
        settings: Mapping[str, Any] | None,
        tables: Sequence[Table],
        *,
        is_by_column: bool,
    ) -> Result:
        asked = self.asked(statement, parameters, settings, tables)

        def fetch(client: Client) -> Result:
            result = client.query(
                asked.statement,
                parameters=asked.parameters,
                settings=self._query_settings(asked.settings),
                column_oriented=is_by_column,
                external_data=_external(tables),
            )
            return result.column_names, result.result_columns if is_by_column else result.result_rows

        is_lasting = reads_published_rows_alone(asked.statement)
        seconds = FOR_EVER if is_lasting else self._shared_seconds
        if not seconds:
            return self._read(fetch)
        # The settings say which versions of marts count.
        question = (statement, is_by_column, repr(sorted(asked.parameters.items())), *tables)
        if is_lasting and FILTERS_SETTING not in (settings or {}):
            self.note(
                (*question, repr(settings)),
                lambda read: read._fetch(statement, parameters, settings, tables, is_by_column=is_by_column),
                marts_of(asked.statement),
            )
        key = (*question, repr(sorted(asked.settings.items())))
        return self.cached(key, lambda: self._read(fetch), seconds)

    def note(self, key: Hashable, ask: Callable[["Warehouse"], Any], marts: Iterable[str]) -> None:
        """A reader asks this: it is asked again, ahead of readers, once one of the marts is built."""
        if self.cache is not None and not is_asked_ahead():
            self.asked_ahead.note(key, lambda: ask(self.limited(AHEAD_SECONDS)), marts)

    @contextmanager
    def noted(self, key: Hashable, ask: Callable[["Warehouse"], Any], marts: Iterable[str]) -> Iterator[None]:
        """As `note`; what is asked within is a part of it, and not asked ahead by itself."""
        self.note(key, ask, marts)
        with one_question():
            yield

    def ask_ahead(self) -> None:
        """Asks versions published since the last time what readers asked of the last ones (`AskedAhead`)."""
        self.asked_ahead.renew()

    def _read(self, fetch: Callable[[Client], Value]) -> Value:
        try:
            return self._send_again(fetch, to_same=False)
        except QueryFailed as error:
            limit = limit_of(error)
            if limit is None:
                raise
            log.warning("A query was aborted at a limit: %s", error.reason)
            raise limit(error.reason, error.clickhouse_code) from error

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Runs a statement without a result, once; `settings` may hold its query_id. The rows it inserts
        count even if they equal those of an earlier one, which replicas would take for a repetition."""
        bound = _bound({**known(sql).values, **(parameters or {})})
        settings = self._query_settings({"insert_deduplicate": 0, **(settings or {})})
        self._send(lambda client: client.command(sql, parameters=bound, settings=settings))

    def insert_rows(self, table: str, rows: Iterable[Parameters], token: str = "") -> None:
        """Stores rows; nothing without rows. Those that name the same columns are stored all or none, and
        with a `token` of the caller's once, however often it repeats the request. Raises QueryFailed for a
        value that is none of its column's type."""
        rows, token = list(rows), token or uuid4().hex
        try:
            inserts = list(blocks(self._types_of(table), rows)) if rows else []
        except UnreadableRows as error:
            raise QueryFailed(f"{table}: {error}", TYPE_MISMATCH) from error
        for number, (columns, block) in enumerate(inserts):
            # As a view it is not copied.
            view = memoryview(block)
            self._insert(
                f"{token}-{number}", insert_block=view, table=table, column_names=columns, fmt="Native"
            )

    def insert_json_lines(
        self,
        table: str,
        lines: bytes | Callable[[], Generator[bytes, None, None]],
        columns: Sequence[str] = (),
        token: str = "",
    ) -> None:
        """Stores rows given as one JSON object a line, or as a function that makes them in pieces: for values
        too large to be held as a whole. `token`: as of `insert_rows`."""
        self._insert(
            token, insert_block=lines, table=table, column_names=list(columns) or None, fmt="JSONEachRow"
        )

    def insert_from(self, other: "Warehouse", table: str, sql: str, parameters: Parameters) -> None:
        """Stores the rows that a statement of another server gives, never held as a whole, however long that
        takes."""
        asked = other.asked(sql, parameters)
        unlimited = {"max_execution_time": 0}

        def rows() -> Iterator[bytes]:
            answer = other._read(
                lambda client: client.raw_stream(
                    asked.statement,
                    parameters=asked.parameters,
                    settings=other._query_settings({**asked.settings, **unlimited}),
                    fmt="Native",
                )
            )
            assert isinstance(answer, HTTPResponse)
            return _pieces(answer)

        self._insert(uuid4().hex, insert_block=rows, settings=unlimited, table=table, fmt="Native")

    def _insert(
        self, token: str, *, insert_block: Any, settings: Mapping[str, Any] | None = None, **chosen: Any
    ) -> None:
        """With a `token`, rows whose answer was lost are sent again, and count once: the replicas
        of a shard know each other's tokens."""
        of_insert: dict[str, Any] = {
            "async_insert": 0,
            "max_execution_time": INSERT_TIMEOUT_SECONDS,
            "input_format_skip_unknown_fields": 0,
            "insert_keeper_max_retries": KEEPER_RETRIES,
            **(settings or {}),
        }
        if token:
            of_insert["insert_deduplication_token"] = token

        def insert(client: Client) -> None:
            block = insert_block() if callable(insert_block) else insert_block
            client.raw_insert(insert_block=block, settings=self._query_settings(of_insert), **chosen)

        if token:
            self._send_again(insert, to_same=True)
        else:
            self._send(insert)

    def _types_of(self, table: str) -> Types:
        """Asked once: a migration ends before processes begin to write what it added."""
        if table not in self._types:
            described = self._send_again(lambda client: client.create_insert_context(table), to_same=False)
            self._types[table] = dict(zip(described.column_names, described.column_types, strict=True))
        return self._types[table]

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _query_settings(self, settings: Mapping[str, Any] | None) -> dict[str, Any]:
        """Settings that report progress often enough for a working statement not to look silent."""
        interval_ms = min(self._silence_seconds * 250, 120_000)
        return {
            "http_headers_progress_interval_ms": interval_ms,
            "buffer_size": ANSWER_BUFFER_BYTES,
            **self._of_statements,
            **(settings or {}),
        }

    def asked(
        self,
        statement: str,
        parameters: Parameters | None,
        settings: Mapping[str, Any] | None = None,
        tables: Sequence[Table] = (),
    ) -> Asked:
        """The question as it is sent: with its projects (`projects` or `project_id`), which row policies
        enforce, and the published versions of the marts it reads, unless the caller's settings name them."""
        known_statement = known(statement)
        given = {**known_statement.values, **(parameters or {})}
        projects = projects_of(given)
        is_chosen = FILTERS_SETTING in (settings or {})
        marts = () if is_chosen else marts_of(known_statement)
        versions = conditions(self, marts) if marts else {}
        of_question = {
            **(settings or {}),
            **({PROJECTS_SETTING: named(projects)} if projects else {}),
            **table_filters(versions),
        }
        asked = Asked(
            known_statement, _bound(given), of_question, tuple(tables), self._user, versions, self.address
        )
        _note(asked)
        return asked


def limit_of(error: QueryFailed) -> type[LimitReached] | None:
    # The memory of all statements together is named so.
    is_of_all = error.clickhouse_code == MEMORY and "(total)" in error.reason
    if error.clickhouse_code == TIMEOUT or is_of_all:
        return NoAnswerInTime
    return TooMuchToRead if error.clickhouse_code in OF_WORK else None


def _note(asked: Asked) -> None:
    """A statement that was asked, or whose kept answer was taken."""
    note(asked)
    # A statement that also reads what builds have not counted yet is of now, however old its marts are.
    if reads_published_rows_alone(asked.statement):
        mark_read(asked.address, marts_of(asked.statement), asked.parameters)


def _pieces(answer: HTTPResponse) -> Iterator[bytes]:
    with closing(answer):
        try:
            while piece := answer.read(CHUNK_BYTES):
                yield piece
        except HTTPError as error:
            raise QueryFailed("the query was aborted before its result was complete", 0) from error


def _external(tables: Sequence[Table]) -> ExternalData | None:
    if not tables:
        return None
    external = ExternalData()
    for table in tables:
        external.add_file(file_name=table.name, data=table.rows, fmt="RowBinary", structure=table.columns)
    return external


def _bound(parameters: Parameters | None) -> dict[str, Any]:
    # The driver truncates the milliseconds of moments inside an array.
    return {
        name: [_moment(each) for each in value] if isinstance(value, list) else value
        for name, value in (parameters or {}).items()
    }


def _moment(value: Any) -> Any:
    if not isinstance(value, datetime):
        return value
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
