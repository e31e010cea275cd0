"""Senders at a steady rate, each event with a number of its own in its text."""

import http.client
import itertools
import json
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from errata_wire.otlp.response import PROTOBUF

from tests.wire.told_by_opentelemetry import log_request, span_request

THREADS = 32
ANSWER_SECONDS = 30.0
STACK = (
    'Traceback (most recent call last):\n  File "/app/shop/cart.py", line 3, in price\n'
    "    raise ValueError(cart)\nValueError: {text}\n"
)


@dataclass(frozen=True)
class Way:
    """A door of a service: `body` makes what is sent of a text."""

    name: str
    port: int
    path: str
    headers: Mapping[str, str]
    body: Callable[[str], bytes]


@dataclass
class Sent:
    """What senders of one way were told. `waits`: of all answers, by what was going on, in seconds."""

    acknowledged: list[int] = field(default_factory=list)
    refused: Counter[int] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    waits: dict[str, list[float]] = field(default_factory=dict)


class Senders:
    """Threads that send by all ways in turn, as many a second as `rate` while they are answered in time."""

    def __init__(self, ways: Sequence[Way], rate: float) -> None:
        self.phase = "before"
        self.sent = {way.name: Sent() for way in ways}
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._is_ending = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(way, THREADS / rate, number / rate))
            for number, way in zip(range(THREADS), itertools.cycle(ways), strict=False)
        ]

    def __enter__(self) -> "Senders":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ending.set()
        for thread in self._threads:
            thread.join()

    def _run(self, way: Way, interval: float, offset: float) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", way.port, timeout=ANSWER_SECONDS)
        due = time.monotonic() + offset
        while not self._is_ending.wait(max(0.0, due - time.monotonic())):
            # Who waited for an answer does not send the more afterwards.
            due = max(due, time.monotonic() - interval) + interval
            number = next(self._numbers)
            body = way.body(text_of(number))
            phase, began = self.phase, time.perf_counter()
            try:
                connection.request("POST", way.path, body, dict(way.headers))
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                with self._lock:
                    self.sent[way.name].unanswered[type(error).__name__] += 1
                continue
            self._note(self.sent[way.name], number, answer.status, phase, time.perf_counter() - began)
        connection.close()

    def _note(self, sent: Sent, number: int, status: int, phase: str, seconds: float) -> None:
        with self._lock:
            if status == 200:
                sent.acknowledged.append(number)
            else:
                sent.refused[status] += 1
            sent.waits.setdefault(phase, []).append(seconds)


def text_of(number: int) -> str:
    return f"order {number}"


def number_in(text: str) -> int:
    return int(text.rpartition(" ")[2])


def envelope(text: str) -> bytes:
    event_id = uuid4().hex
    frame = {"filename": "shop/cart.py", "abs_path": "/app/shop/cart.py", "module": "shop.cart"}
    called = {**frame, "function": "price", "lineno": 3, "in_app": True}
    event = {
        "event_id": event_id,
        "timestamp": time.time(),
        "platform": "python",
        "level": "error",
        "exception": {"values": [{"type": "KeyError", "value": text, "stacktrace": {"frames": [called]}}]},
    }
    payload = json.dumps(event).encode()
    header = json.dumps({"type": "event", "length": len(payload)}).encode()
    return json.dumps({"event_id": event_id}).encode() + b"\n" + header + b"\n" + payload


def span(text: str) -> bytes:
    """A span of its own with an exception."""
    request = span_request("ValueError", text, STACK.format(text=text), span_id=secrets.token_bytes(8))
    (sent,) = request.resource_spans[0].scope_spans[0].spans
    sent.trace_id = secrets.token_bytes(16)
    sent.end_time_unix_nano = sent.events[0].time_unix_nano = time.time_ns()
    sent.start_time_unix_nano = sent.end_time_unix_nano - 10**7
    return bytes(request.SerializeToString())


def log_record(text: str) -> bytes:
    request = log_request("", "", "", span_id=secrets.token_bytes(8))
    (sent,) = request.resource_logs[0].scope_logs[0].log_records
    sent.trace_id = secrets.token_bytes(16)
    sent.time_unix_nano = time.time_ns()
    sent.body.string_value = text
    return bytes(request.SerializeToString())


def ways_of(port: int, project: str, key: str) -> dict[str, Way]:
    bearer = {"Authorization": f"Bearer {key}", "Content-Type": PROTOBUF}
    sentry = {"X-Sentry-Auth": f"Sentry sentry_version=7, sentry_key={key}"}
    return {
        way.name: way
        for way in (
            Way("envelope", port, f"/api/{project}/envelope/", sentry, envelope),
            Way("traces", port, "/v1/traces", bearer, span),
            Way("logs", port, "/v1/logs", bearer, log_record),
        )
    }
