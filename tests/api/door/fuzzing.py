"""Requests by chance at the direct door of a real node, in one process: none ends in a failure of the server,
none takes long, and a neighbour's events are stored all the while."""

import asyncio
import json
import logging
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from fastapi import FastAPI

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.api.door.direct_node import ADDRESS, ORGANIZATION, envelope
from tests.api.door.mutations import Sent, mutated, prepare
from tests.processes import WarehouseProcess

ANSWER_WITHIN_SECONDS = 10.0
STORED_WITHIN_SECONDS = 240.0
# Each may send a thousand items a second.
SENDERS = 12
AT_ONCE = 6
MOST_FAULTS = 20
MAX_RATE = 100_000
LOGGED_CHARACTERS = 700

App = Callable[..., Awaitable[None]]
Message = MutableMapping[str, Any]


@dataclass
class Outcome:
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest_seconds: float = 0.0
    slowest: str = ""
    """The request that took longest."""
    count: int = 0
    neighbors_sent: int = 0
    neighbors_stored: int = 0
    lines: int = 0
    wait_seconds: float = 0.0
    """For a neighbour's event to be stored."""


class LoggedErrors(logging.Handler):
    """What the node writes to its log as an error, with the trace of an exception."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)[-LOGGED_CHARACTERS:]
        if len(self.found) < MOST_FAULTS and text not in self.found:
            self.found.append(text)

    def __enter__(self) -> "LoggedErrors":
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)


@dataclass(frozen=True)
class Sender:
    project_id: int
    key: str


class DoorFuzzing:
    """`neighbor_every`: requests after which a neighbour's event must still be accepted and stored."""

    def __init__(
        self,
        app: App,
        senders: list[Sender],
        neighbor: Sender,
        admin: Warehouse,
        neighbor_every: int,
        answer_within_seconds: float,
    ) -> None:
        self.outcome = Outcome()
        self._app = app
        self._senders = senders
        self._neighbor = neighbor
        self._admin = admin
        self._neighbor_every = neighbor_every
        self._answer_within_seconds = answer_within_seconds

    async def run(self, seed: int, count: int, until: float = float("inf")) -> Outcome:
        """`until`: no round begins after this moment of the monotonic clock."""
        first = 0
        while first < count and time.monotonic() < until and len(self.outcome.faults) < MOST_FAULTS:
            last = min(count, first + self._neighbor_every)
            numbers = iter(range(first, last))
            await asyncio.gather(*(self._send_each(seed, numbers) for _ in range(AT_ONCE)))
            await self._try_neighbor()
            first = last
        return self.outcome

    async def send(self, sent: Sent) -> int:
        """The status of the response; 0: the client had left."""
        began = time.monotonic()
        try:
            status = await asyncio.wait_for(self._answered(sent), self._answer_within_seconds)
        except TimeoutError:
            status = 0
            self._fault(f"no response within {self._answer_within_seconds:g} s", sent)
        except Exception as error:  # noqa: BLE001 (a server would answer it with 500)
            status = 500
            self._fault(f"{type(error).__name__}: {error}", sent)
        seconds = time.monotonic() - began
        if seconds > self.outcome.slowest_seconds:
            self.outcome.slowest_seconds, self.outcome.slowest = seconds, str(sent)
        if seconds > self._answer_within_seconds and status:
            self._fault(f"a response after {seconds:.1f} s", sent)
        self.outcome.count += 1
        self.outcome.statuses[sent.kind, status] += 1
        self.outcome.changes.update(sent.changes or ("none",))
        return status

    async def _send_each(self, seed: int, numbers: Iterator[int]) -> None:
        for number in numbers:
            # A fault is found again by its number alone.
            chance = random.Random(f"{seed} {number}")
            sender = chance.choice(self._senders)
            await self.send(mutated(chance, sender.project_id, sender.key))
            if len(self.outcome.faults) >= MOST_FAULTS:
                return

    async def _answered(self, sent: Sent) -> int:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": sent.method,
            "scheme": "http",
            "path": sent.path,
            "raw_path": sent.path.encode("utf-8", "replace"),
            "query_string": sent.query.encode("latin-1"),
            "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.headers],
            "client": (ADDRESS, 50_000),
            "server": ("errata.example", 80),
            "state": {},
        }
        answer = _Answer()
        await self._app(scope, _body_of(sent), answer)
        if sent.leaves_after is not None and not answer.status:
            return 0
        if answer.status == 0 or not answer.is_whole:
            self._fault("no whole response", sent)
        elif answer.status >= 500:
            self._fault(f"{answer.status} {answer.content[:300]!r}", sent)
        return answer.status

    async def _try_neighbor(self) -> None:
        """An event of another project of the same organization, which shares a spool with the senders."""
        event_id = uuid4().hex
        payload = json.dumps(
            {"event_id": event_id, "message": "of a neighbor", "platform": "python"}
        ).encode()
        body = envelope(("event", payload), event_id=event_id)
        headers = (("host", "errata.example"), ("x-sentry-auth", f"Sentry sentry_key={self._neighbor.key}"))
        path = f"/api/{self._neighbor.project_id}/envelope/"
        sent = Sent("neighbor", "POST", path, "", headers, body, None, ())
        if await self.send(sent) != 200:
            self._fault("a neighbor's event was refused", sent)
            return
        self.outcome.neighbors_sent += 1
        began = time.monotonic()
        if await asyncio.to_thread(self._is_stored, event_id):
            self.outcome.neighbors_stored += 1
        else:
            self._fault("a neighbor's event was not stored", sent)
        self.outcome.wait_seconds += time.monotonic() - began

    def _is_stored(self, event_id: str) -> bool:
        until = time.monotonic() + STORED_WITHIN_SECONDS
        statement = (
            "select 1 as found from errata_raw.error_events "
            "where project_id = {project_id:UInt32} and item_id = {event_id:UUID}"
        )
        asked = {"project_id": self._neighbor.project_id, "event_id": event_id}
        while not self._admin.rows(statement, asked):
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def _fault(self, what: str, sent: Sent) -> None:
        self.outcome.faults.append(f"{what}: {sent}")


class _Answer:
    def __init__(self) -> None:
        self.status = 0
        self.content = b""
        self.is_whole = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.content += message.get("body", b"")
            self.is_whole = not message.get("more_body", False)


def _body_of(sent: Sent) -> Callable[[], Awaitable[Message]]:
    """The body in two parts; then the connection stays silent until the response is there."""
    body = sent.body if sent.leaves_after is None else sent.body[: sent.leaves_after]
    half = len(body) // 2
    messages: list[Message] = [
        {"type": "http.request", "body": body[:half], "more_body": True},
        {"type": "http.request", "body": body[half:], "more_body": sent.leaves_after is not None},
    ]
    messages.reverse()

    async def receive() -> Message:
        if messages:
            return messages.pop()
        if sent.leaves_after is None:
            await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    return receive


def fuzzed(
    warehouse: WarehouseProcess,
    store: Store,
    spool: Path,
    seed: int,
    count: int,
    *,
    seconds: float = float("inf"),
    neighbor_every: int = 10_000,
    answer_within_seconds: float = ANSWER_WITHIN_SECONDS,
    around: Callable[[FastAPI], App] = lambda app: app,
) -> Outcome:
    """`around`: the application that is asked, made of that of the node."""
    prepare()
    projects = [
        store.projects.create(ORGANIZATION, f"Fuzzed {number}", actor="test") for number in range(SENDERS + 1)
    ]
    senders = [Sender(one.project.id, one.public_key.key) for one in projects]
    clients = ingest, read, admin = [warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN)]
    settings = ApiSettings(
        gather_ms=5, spool_path=spool, public_requests_per_second=MAX_RATE, lines_per_minute=10**9
    )
    app = create_app(settings, store, ingest, read)

    async def run() -> Outcome:
        async with app.router.lifespan_context(app):
            fuzzing = DoorFuzzing(
                around(app), senders[1:], senders[0], admin, neighbor_every, answer_within_seconds
            )
            with LoggedErrors() as logged:
                outcome = await fuzzing.run(seed, count, time.monotonic() + seconds)
            outcome.faults += [f"logged: {text}" for text in logged.found]
            outcome.lines = sum(
                file.read_bytes().count(b"\n") for file in (spool / str(ORGANIZATION)).glob("errata-*")
            )
            return outcome

    try:
        return asyncio.run(run())
    finally:
        for each in clients:
            each.close()
