"""The connection to one server of the warehouse."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import clickhouse_connect
from clickhouse_connect import common
from clickhouse_connect.driver.client import Client

from errata.warehouse.addresses import place_of
from errata.warehouse.patience import patient_pool
from errata.warehouse.presence import Presence, answers_ping
from errata.warehouse.readiness import Readiness, is_ready

common.set_setting("autogenerate_session_id", False)
# A moment without a time zone is of its column's, UTC, not of the machine's.
common.set_setting("naive_datetime_insert", "server")

CONNECT_SECONDS = 2


class Connection:
    """Thread-safe. `url` names one server; the times are those of the warehouse's client. `is_replica`: there
    are others, and they are used while this one is not ready."""

    def __init__(
        self,
        url: str,
        settings: Mapping[str, Any],
        timeout_seconds: int,
        silence_seconds: int,
        again_seconds: float,
        *,
        is_replica: bool = False,
    ) -> None:
        self.place = place_of(url)
        self.readiness = Readiness(lambda: not is_replica or is_ready(url))
        self.presence = Presence(lambda: answers_ping(url), again_seconds=again_seconds)
        self._url = url
        self._settings = settings
        self._silence_seconds = silence_seconds
        self._pool = patient_pool(lambda: not self.presence.lost(), timeout_seconds)
        self._opened: Client | None = None

    def open(self) -> Client:
        """The driver's client. Connected at first use: a program may start before its warehouse does."""
        if self._opened is None:
            parts = urlsplit(self._url)
            self._opened = clickhouse_connect.get_client(
                interface=parts.scheme,
                host=parts.hostname or "",
                port=parts.port or 0,
                username=unquote(parts.username or "default"),
                password=unquote(parts.password or ""),
                settings=dict(self._settings),
                connect_timeout=CONNECT_SECONDS,
                send_receive_timeout=self._silence_seconds,
                pool_mgr=self._pool,
                query_retries=0,
                client_name="errata",
            )
        return self._opened

    def answers(self) -> bool:
        return self.presence.is_there() and answers_ping(self._url)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._pool.clear()
            self._opened = None


def by_preference(connections: Sequence[Connection]) -> Iterator[Connection]:
    """Those that are there, in the order of their addresses: first those that are ready; then one that has
    only just come back, so that a server that comes and goes is not gone back to each time; and at last those
    that are not ready, which can still be read from."""
    just_back, unready = [], []
    for connection in connections:
        if not connection.presence.is_there():
            continue
        if not connection.readiness.is_ready():
            unready.append(connection)
        elif connection.presence.is_settled():
            yield connection
        else:
            just_back.append(connection)
    yield from (*just_back, *unready)
