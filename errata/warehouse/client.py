"""The one way to the warehouse: SQL files with bound parameters, through clickhouse-connect."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import clickhouse_connect
from clickhouse_connect import common
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, DatabaseError, OperationalError
from clickhouse_connect.driver.external import ExternalData
from urllib3.exceptions import HTTPError

from errata.errors import ErrataError
from errata.warehouse.asked import Asked, Table, note, recorded
from errata.warehouse.cache import Cache
from errata.warehouse.patience import patient_pool
from errata.warehouse.presence import Presence, answers_ping
from errata.warehouse.published import (
    FILTERS_SETTING,
    conditions,
    mark_read,
    marts_of,
    reads_published_rows_alone,
    table_filters,
)
from errata.warehouse.row_policies import PROJECTS_SETTING, named

common.set_setting("autogenerate_session_id", False)

log = logging.getLogger("errata.warehouse")

# The warehouse enforces it, however long the sender of the rows waits: watermarks rely on it.
INSERT_TIMEOUT_SECONDS = 20
# A running statement reports its progress: after this long a silence the warehouse is probed.
SILENCE_SECONDS = 6
CONNECT_SECONDS = 2
# A result is buffered in memory: as a file it would be lost on a full disk.
ANSWER_BUFFER_BYTES = 4 << 20
# Out of time, of memory, or of rows to return.
TOO_MUCH = (159, 241, 396)


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
        super().__init__(f"The warehouse refused a statement (code {clickhouse_code}): {reason}")
        self.reason = reason
        self.clickhouse_code = clickhouse_code


class TooMuchToRead(QueryFailed):
    """A question over the limits of time, memory or rows for one statement."""

    code = "too_much_to_read"

    def __init__(self, reason: str = "", clickhouse_code: int = 0) -> None:
        super().__init__(reason, clickhouse_code)
        # What to change in the request; the endpoint's own parameters make it more specific.
        self.remedy = "choose a shorter period or add filters"

    def __str__(self) -> str:
        return f"Too much data to read: {self.remedy}. After an upgrade, wait until tables have been rebuilt."


Row = dict[str, Any]
Parameters = Mapping[str, Any]
Value = TypeVar("Value")
Result = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""Names of columns, and the values by row or by column."""


class Warehouse:
    """A client of the warehouse. Thread-safe. `url` is http(s)://user:password@host:port of a ClickHouse HTTP
    interface.

    `timeout_seconds` is the longest silence of a warehouse that answers pings; it is pinged after
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
        parts = urlsplit(url)
        self.address = f"{parts.hostname}:{parts.port}"
        self._user = unquote(parts.username or "default")
        self._url = url
        self._settings = dict(settings or {})
        self._of_statements: dict[str, Any] = {}
        self.cache = cache
        self._timeout_seconds = timeout_seconds
        self._silence_seconds = silence_seconds or timeout_seconds
        self._opened: Client | None = None
        self._presence = Presence(lambda: answers_ping(url))
        self._pool = patient_pool(lambda: not self._presence.lost(), timeout_seconds)

    def require(self) -> None:
        """Raises WarehouseUnavailable while the warehouse is known to be away."""
        if not self._presence.is_there():
            raise WarehouseUnavailable(self.address, "no response")

    @property
    def timeout(self) -> timedelta:
        """The longest time for one statement before it counts as unanswered."""
        return timedelta(seconds=self._timeout_seconds)

    @property
    def _client(self) -> Client:
        self.require()
        # Connected at first use: a program may start before its warehouse does.
        if self._opened is None:
            parts = urlsplit(self._url)
            try:
                self._opened = clickhouse_connect.get_client(
                    interface=parts.scheme,
                    host=parts.hostname or "127.0.0.1",
                    port=parts.port or 8123,
                    username=self._user,
                    password=unquote(parts.password or ""),
                    settings=self._settings,
                    connect_timeout=CONNECT_SECONDS,
                    send_receive_timeout=self._silence_seconds,
                    pool_mgr=self._pool,
                    query_retries=0,
                    client_name="errata",
                )
            except FAILURES as error:
                self._presence.lost()
                raise WarehouseUnavailable(self.address, _first_line(error)) from error
        return self._opened

    def cached(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of `key` in the cache of this process; without a cache, computed each time.

        The key names everything that the value depends on: the question, its parameters, published versions.
        Statements that it took are kept with it, for those who record what a page asks.
        """
        if self.cache is None:
            return compute()

        def with_statements() -> tuple[Value, list[Asked]]:
            with recorded() as asked:
                return compute(), asked

        kept: tuple[Value, list[Asked]] = self.cache.get(key, with_statements)
        for each in kept[1]:
            _note(each)
        return kept[0]

    def limited(self, seconds: float) -> "Warehouse":
        """The same connection, with a limit of time for each statement."""
        same = copy(self)
        same._of_statements = {**self._of_statements, "max_execution_time": max(1, round(seconds))}
        return same

    def ping(self) -> bool:
        return self._presence.is_there() and answers_ping(self._url)

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
        asked = self._asked(sql, parameters, settings)
        try:
            rows = self._client.raw_query(
                asked.statement,
                parameters=asked.parameters,
                settings=self._query_settings(asked.settings),
                fmt="RowBinary",
            )
        except FAILURES as error:
            raise self._unanswered(error) from error
        return Table(name, columns, rows, asked)

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
        asked = self._asked(statement, parameters, settings, tables)

        def fetch() -> Result:
            try:
                result = self._client.query(
                    statement,
                    parameters=asked.parameters,
                    settings=self._query_settings(asked.settings),
                    column_oriented=is_by_column,
                    external_data=_external(tables),
                )
            except FAILURES as error:
                raise self._unanswered(error) from error
            return result.column_names, result.result_columns if is_by_column else result.result_rows

        if not reads_published_rows_alone(statement):
            return fetch()
        # The settings say which versions of marts count.
        texts = repr(sorted(asked.parameters.items())), repr(sorted(asked.settings.items()))
        key = (statement, is_by_column, *texts, *tables)
        return self.cached(key, fetch)

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Runs a statement without a result; `settings` may hold its query_id."""
        try:
            self._client.command(sql, parameters=_bound(parameters), settings=self._query_settings(settings))
        except FAILURES as error:
            raise self._translated(error) from error

    def insert_json_lines(
        self, table: str, lines: bytes, columns: Sequence[str] = (), token: str = ""
    ) -> None:
        """Stores rows given as one JSON object a line; `token` makes a retry of the same rows count once."""
        settings: dict[str, Any] = {
            "async_insert": 0,
            "max_execution_time": INSERT_TIMEOUT_SECONDS,
            "input_format_skip_unknown_fields": 0,
        }
        if token:
            settings["insert_deduplication_token"] = token
        try:
            self._client.raw_insert(
                table,
                column_names=list(columns) or None,
                insert_block=lines,
                settings=self._query_settings(settings),
                fmt="JSONEachRow",
            )
        except FAILURES as error:
            raise self._translated(error) from error

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._pool.clear()
            self._opened = None

    def _query_settings(self, settings: Mapping[str, Any] | None) -> dict[str, Any]:
        """Settings that report progress often enough for a working statement not to look silent."""
        interval_ms = min(self._silence_seconds * 250, 120_000)
        return {
            "http_headers_progress_interval_ms": interval_ms,
            "buffer_size": ANSWER_BUFFER_BYTES,
            **self._of_statements,
            **(settings or {}),
        }

    def _asked(
        self,
        statement: str,
        parameters: Parameters | None,
        settings: Mapping[str, Any] | None,
        tables: Sequence[Table] = (),
    ) -> Asked:
        """The question as it is sent: with its projects (`projects` or `project_id`), which row policies
        enforce, and the published versions of the marts it reads, unless the caller's settings name them."""
        given = parameters or {}
        projects = given.get("projects", [given["project_id"]] if "project_id" in given else [])
        marts = () if FILTERS_SETTING in (settings or {}) else marts_of(statement)
        of_question = {
            **(settings or {}),
            **({PROJECTS_SETTING: named(projects)} if projects else {}),
            **(table_filters(conditions(self.rows, marts)) if marts else {}),
        }
        asked = Asked(statement, _bound(parameters), of_question, tuple(tables), self._user)
        _note(asked)
        return asked

    def _unanswered(self, error: Exception) -> ErrataError:
        failure = self._translated(error)
        if not isinstance(failure, QueryFailed) or failure.clickhouse_code not in TOO_MUCH:
            return failure
        log.warning("Too much to read: %s", failure.reason)
        return TooMuchToRead(failure.reason, failure.clickhouse_code)

    def _translated(self, error: Exception) -> ErrataError:
        code = getattr(error, "code", None)
        if isinstance(error, DatabaseError) and not isinstance(error, OperationalError) and code is not None:
            return QueryFailed(_first_line(error), int(code))
        return WarehouseUnavailable(self.address, _first_line(error), is_away=self._presence.lost())


def _note(asked: Asked) -> None:
    """A statement that was asked, or whose kept answer was taken."""
    note(asked)
    # A statement that also reads what builds have not counted yet is of now, however old its marts are.
    if reads_published_rows_alone(asked.statement):
        mark_read(marts_of(asked.statement))


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
