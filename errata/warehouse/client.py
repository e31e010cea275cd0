"""The one way to the warehouse: SQL files with bound parameters, through clickhouse-connect."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
from clickhouse_connect import common
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, DatabaseError, OperationalError

from errata.errors import ErrataError

common.set_setting("autogenerate_session_id", False)

log = logging.getLogger("errata.warehouse")

INSERT_TIMEOUT_SECONDS = 20
# The warehouse takes 128 KiB in one parameter, and a UUID has 39 characters there.
MOST_IDS = 3_000
# Out of time, of memory, of rows to answer with.
TOO_MUCH = (159, 241, 396)


class WarehouseUnavailable(ErrataError):
    """The warehouse did not answer: away, starting or out of resources."""

    code = "warehouse_unavailable"

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"The warehouse at {address} did not answer: {reason}")
        self.address = address
        self.reason = reason


class QueryFailed(ErrataError):
    """The warehouse answered with an error of its own."""

    code = "query_failed"

    def __init__(self, reason: str, clickhouse_code: int) -> None:
        super().__init__(f"The warehouse refused a statement (code {clickhouse_code}): {reason}")
        self.reason = reason
        self.clickhouse_code = clickhouse_code


class TooMuchToRead(QueryFailed):
    """A question that cannot be answered in time, in memory, or in as many rows as may be asked for."""

    code = "too_much_to_read"

    def __init__(self, reason: str = "", clickhouse_code: int = 0) -> None:
        super().__init__(reason, clickhouse_code)

    def __str__(self) -> str:
        return (
            "There is too much to look at: narrow the filter, or ask about fewer days. "
            "While tables are built anew after an upgrade, wait until they are."
        )


Row = dict[str, Any]
Parameters = Mapping[str, Any]


class Warehouse:
    """Thread-safe. `url` is http(s)://user:password@host:port of a ClickHouse HTTP interface."""

    def __init__(
        self,
        url: str,
        settings: Mapping[str, Any] | None = None,
        timeout_seconds: int = INSERT_TIMEOUT_SECONDS * 3,
    ) -> None:
        parts = urlsplit(url)
        self.address = f"{parts.hostname}:{parts.port}"
        self._url = url
        self._settings = dict(settings or {})
        self._timeout_seconds = timeout_seconds
        self._opened: Client | None = None

    @property
    def _client(self) -> Client:
        # Opened late: a program may start before its warehouse does.
        if self._opened is None:
            parts = urlsplit(self._url)
            try:
                self._opened = clickhouse_connect.get_client(
                    interface=parts.scheme,
                    host=parts.hostname or "127.0.0.1",
                    port=parts.port or 8123,
                    username=parts.username or "default",
                    password=parts.password or "",
                    settings=self._settings,
                    connect_timeout=3,
                    send_receive_timeout=self._timeout_seconds,
                    query_retries=0,
                    client_name="errata",
                )
            except ClickHouseError as error:
                raise WarehouseUnavailable(self.address, _first_line(error)) from error
        return self._opened

    def ping(self) -> bool:
        try:
            return bool(self._client.ping())
        except WarehouseUnavailable:
            return False

    def rows(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> list[Row]:
        """The answer's rows as dictionaries."""
        try:
            result = self._client.query(sql, parameters=_bound(parameters), settings=dict(settings or {}))
        except ClickHouseError as error:
            raise self._unanswered(error) from error
        names = result.column_names
        return [dict(zip(names, values, strict=True)) for values in result.result_rows]

    def columns(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Sequence[Any]]:
        """The answer by column: for many rows. Of no rows: none."""
        try:
            result = self._client.query(
                sql, parameters=_bound(parameters), settings=dict(settings or {}), column_oriented=True
            )
        except ClickHouseError as error:
            raise self._unanswered(error) from error
        return dict(zip(result.column_names, result.result_columns, strict=True))

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """A statement without an answer; `settings` may hold its query_id."""
        try:
            self._client.command(sql, parameters=_bound(parameters), settings=dict(settings or {}))
        except ClickHouseError as error:
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
                settings=settings,
                fmt="JSONEachRow",
            )
        except ClickHouseError as error:
            raise self._translated(error) from error

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _unanswered(self, error: ClickHouseError) -> ErrataError:
        failure = self._translated(error)
        if not isinstance(failure, QueryFailed) or failure.clickhouse_code not in TOO_MUCH:
            return failure
        log.warning("Too much to read: %s", failure.reason)
        return TooMuchToRead(failure.reason, failure.clickhouse_code)

    def _translated(self, error: ClickHouseError) -> ErrataError:
        code = getattr(error, "code", None)
        if isinstance(error, DatabaseError) and not isinstance(error, OperationalError) and code is not None:
            return QueryFailed(_first_line(error), int(code))
        return WarehouseUnavailable(self.address, _first_line(error))


def _bound(parameters: Parameters | None) -> dict[str, Any]:
    # The driver cuts the milliseconds of moments inside an array.
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
