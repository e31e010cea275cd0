"""Requests to a service that may be busy or away for a while: they wait as it asks, and are repeated."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from errata_wire.retry_after import retry_after_seconds

from errata.errors import ErrataError
from errata.importing.values import one_line
from errata.outgoing import Outgoing, Policy, Response
from errata.outgoing.errors import NotReached, ResponseUnusable
from errata.outgoing.policy import parsed_networks

# Whoever types the command chooses both services.
ANYWHERE = Policy(parsed_networks("0.0.0.0/0, ::/0"), allows_http=True)
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
RATE_LIMITED = 429
SECONDS = 120.0
ANSWER_MAX_BYTES = 64 << 20
MOST_ATTEMPTS = 8
LONGEST_WAIT_SECONDS = 60.0
LONGEST_ASKED_SECONDS = 900.0
MOST_LIMITED = 100
T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """`value`: the body's JSON. `headers` have lower-case names."""

    value: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Exchange:
    """Asks one service. `failure` makes the error of a reason and a status; status 0: no answer."""

    url: str
    token: str
    failure: Callable[[str, int], ErrataError]
    outgoing: Outgoing = field(default_factory=lambda: Outgoing(ANYWHERE))
    pause: Callable[[float], None] = time.sleep

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer | None:
        """The answer; None if it is larger than `ANSWER_MAX_BYTES`. Raises the failure where the service
        refuses, or doesn't answer for minutes."""
        return self._repeated(method, path, headers or {}, body, self._answer)

    def download(self, path: str) -> bytes | None:
        """The body as it is; None if it is too large. Raises as `ask`."""
        return self._repeated("GET", path, {"Accept": "*/*"}, b"", _content)

    def _repeated(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, read: Callable[[Response], T]
    ) -> T:
        attempts = limited = 0
        while True:
            wait, said, status = None, "", 0
            try:
                response = self._sent(method, path, headers, body)
                if response.status not in PASSING:
                    self._require_success(response)
                    return read(response)
                wait, status = asked_wait(response.headers, time.time()), response.status
                said = f"{status} {said_of(response)}"
            except (NotReached, ResponseUnusable) as error:
                said = str(error)
            if status == RATE_LIMITED:
                limited += 1
            else:
                attempts += 1
            if attempts >= MOST_ATTEMPTS or limited >= MOST_LIMITED:
                raise self.failure(said, status)
            self.pause(min(LONGEST_WAIT_SECONDS, 2.0 ** (attempts + limited - 1)) if wait is None else wait)

    def _sent(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """No redirect is followed: another host would be told the token."""
        return self.outgoing.request(
            method,
            f"{self.url}{path}",
            headers={"Authorization": f"Bearer {self.token}", "Accept": "application/json", **headers},
            body=body,
            seconds=SECONDS,
            answer_max_bytes=ANSWER_MAX_BYTES,
        )

    def _require_success(self, response: Response) -> None:
        if 300 <= response.status < 400:
            to = one_line(response.headers.get("location", ""))
            raise self.failure(f"{self.url} redirects to {to}; use the address it redirects to", 0)
        if not response.is_success:
            raise self.failure(f"{response.status} {said_of(response)}", response.status)

    def _answer(self, response: Response) -> Answer | None:
        if response.is_cut:
            return None
        try:
            return Answer(response.json() if response.body else None, response.headers)
        except RecursionError as error:
            raise self.failure("the response is nested too deeply", 0) from error


def _content(response: Response) -> bytes | None:
    return None if response.is_cut else response.body


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds by `Retry-After`, or until Sentry's limit is reset; None if the answer names neither."""
    wait = retry_after_seconds(headers.get("retry-after", ""), headers.get("date", ""))
    reset = headers.get("x-sentry-rate-limit-reset", "")
    if wait is None and reset.isdecimal() and len(reset) < 12:
        wait = max(1.0, float(reset) - now)
    return None if wait is None else min(wait, LONGEST_ASKED_SECONDS)


def said_of(response: Response) -> str:
    """The reason in the body: Sentry's is `detail`, ours `message`."""
    try:
        told = response.json()
    except (ResponseUnusable, RecursionError):
        return "without a reason"
    reason = told.get("detail") or told.get("message") if isinstance(told, dict) else None
    reason = reason.get("message") if isinstance(reason, dict) else reason
    return one_line(str(reason)) if reason else "without a reason"
