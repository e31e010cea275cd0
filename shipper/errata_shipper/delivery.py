"""Delivers one batch: every status of the wire, and what the shipper does about it."""

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from errata_shipper.acknowledgement import Acknowledgement, acknowledgement_of
from errata_shipper.batch import Batch, Line
from errata_shipper.client import Client, Response
from errata_shipper.clock import Clock
from errata_shipper.compression import Encoding
from errata_shipper.errors import ServerUnreachable
from errata_shipper.explanation import not_errata
from errata_shipper.payload import Payload
from errata_shipper.rejected import Refusal
from errata_shipper.report import Report

RETRY_DELAYS = (1.0, 2.0, 4.0)
# A server that is away for longer is left alone until then, not waited for between two retries.
_RETRY_AFTER_LONGEST_SECONDS = 60.0
_PAUSE_FIRST_SECONDS = 5.0
_PAUSE_LONGEST_SECONDS = 300.0
_KEY_REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)

log = logging.getLogger(__name__)

# Called with each part of a batch that needs no more sending; without an acknowledgement it was set aside.
OnDone = Callable[[Batch, Acknowledgement | None], None]


class Aside(Protocol):
    """Where lines go that the server will not take."""

    def set_aside(self, batch: Batch, refusals: Sequence[Refusal]) -> None: ...


@dataclass(frozen=True)
class Hold:
    """Nothing is sent for `seconds`; the checkpoint stays before what was to be sent."""

    seconds: float
    until: int
    why: str
    # No answer came, so the batch may be stored: it must be sent again exactly as it was.
    is_ambiguous: bool
    # Of the server's answer; 0 if there was none.
    status: int = 0
    # Lines may be taken all the same, and go on.
    is_of_report_alone: bool = False

    @property
    def is_key_refused(self) -> bool:
        return self.status in _KEY_REFUSALS


@dataclass(frozen=True)
class Attempt:
    """What was sent once, and the answer; without one, or with one that passes, the failure says why."""

    payload: Payload
    answer: Acknowledgement | Response | None
    failure: str

    @property
    def retry_after(self) -> float:
        return (self.answer.retry_after or 0.0) if isinstance(self.answer, Response) else 0.0


class GrowingPause:
    """Longer each time, until what was tried succeeds."""

    def __init__(self) -> None:
        self._count = 0

    def next_seconds(self) -> float:
        seconds = min(_PAUSE_FIRST_SECONDS * 2**self._count, _PAUSE_LONGEST_SECONDS)
        self._count = min(self._count + 1, 10)
        return _jittered(seconds)

    def end(self) -> None:
        self._count = 0


class Delivery:
    def __init__(
        self,
        client: Client,
        encoding: Encoding,
        rejected: Aside,
        clock: Clock,
        flush_interval_seconds: float,
    ) -> None:
        self._client = client
        self._encoding = encoding
        self._rejected = rejected
        self._clock = clock
        self._flush_interval_seconds = flush_interval_seconds
        # Until somebody mends a key, or there are other ones.
        self.refused_pause = GrowingPause()
        self._report_pause = GrowingPause()
        # Moment after which no request may last, set while stopping.
        self.deadline: float | None = None

    def attempt(self, batch: Batch | Report) -> Attempt:
        """Send it once, in whichever thread."""
        return self._try(self._pack(batch))

    def deliver(self, batch: Batch, on_done: OnDone, first: Attempt | None = None) -> Hold | None:
        """Send the batch, in halves where it must be; a Hold if it, or the rest of it, has to wait.

        `first` was made already.
        """
        parts = [batch]
        while parts:
            part = parts.pop()
            outcome = self._send(part, first)
            first = None
            if isinstance(outcome, Hold):
                return outcome
            if isinstance(outcome, Acknowledgement):
                self.refused_pause.end()
                if outcome.refusals:
                    self._rejected.set_aside(part, outcome.refusals)
                on_done(part, outcome)
                if outcome.accepted_count:
                    log.info("Batch sent: %d events", outcome.accepted_count)
            elif outcome.status == HTTPStatus.NOT_FOUND:
                self._rejected.set_aside(part, [_refusal(line, outcome) for line in part.lines])
                on_done(part, None)
            elif len(part.lines) > 1:
                log.info(
                    "The server rejected a batch of %d lines (%s); splitting it",
                    len(part.lines),
                    outcome.message,
                )
                parts.extend(reversed(part.halves()))
            else:
                self._rejected.set_aside(part, [_refusal(part.lines[0], outcome)])
                on_done(part, None)
        return None

    def report(self, report: Report) -> Hold | None:
        """Tell the ledger of bytes that are not sent; a Hold if it has to be told again later.

        A report is never given up: the ledger would show its bytes as a gap for ever.
        """
        outcome = self._send(report)
        if isinstance(outcome, Response):
            seconds = self._report_pause.next_seconds()
            why = f"The server rejected the report {report.header} ({outcome.status} {outcome.message})"
            log.warning("%s; retrying in %.1f s", why, seconds)
            return Hold(seconds, report.until, why, is_ambiguous=False, is_of_report_alone=True)
        if isinstance(outcome, Hold):
            return outcome
        self._report_pause.end()
        return None

    def _send(self, batch: Batch | Report, first: Attempt | None = None) -> Acknowledgement | Response | Hold:
        """A Response only where the batch is to be halved or set aside, or the report to wait alone."""
        answer = self._answer(batch, first or self.attempt(batch))
        if isinstance(answer, (Hold, Acknowledgement)):
            return answer
        match answer.status:
            case HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                return answer
            case HTTPStatus.TOO_MANY_REQUESTS:
                said = f"{answer.message or 'Rate Limited'}; sample events or request a higher limit"
                why = said if answer.error else str(not_errata(answer.status_line))
            case _ if not answer.error:
                return answer if isinstance(batch, Report) else self._hold_of_another(batch, answer)
            case HTTPStatus.BAD_REQUEST:
                return answer
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                log.error("Authentication failed")
                why = key_refusal(answer)
            case HTTPStatus.NOT_FOUND if batch.lines and self._is_key_taken():
                return answer
            case HTTPStatus.NOT_FOUND:
                log.error("Application Not Found")
                why = (
                    "Application Not Found: set appKey to the project's application key, "
                    "and check that baseUrl points to an Errata server"
                )
            case status if isinstance(batch, Report) and 400 <= status < 500:
                return answer
            case _:
                why = f"unexpected response {answer.status} {answer.message}".rstrip() + "; check baseUrl"
        seconds = answer.retry_after or self.refused_pause.next_seconds()
        return Hold(seconds, batch.until, why, is_ambiguous=False, status=answer.status)

    def _hold_of_another(self, batch: Batch, answer: Response) -> Hold:
        """Something before the server answered, perhaps after it had the batch."""
        seconds = answer.retry_after or self.refused_pause.next_seconds()
        return Hold(seconds, batch.until, str(not_errata(answer.status_line)), is_ambiguous=True)

    def _is_key_taken(self) -> bool:
        """Whether the batch's own application key is good, so that each line names another, which is not."""
        try:
            return self._client.ingest(b"", "identity", "key-check", None).is_of_ingest
        except ServerUnreachable:
            return False

    def _answer(self, batch: Batch | Report, attempt: Attempt) -> Acknowledgement | Response | Hold:
        """The first answer that is not a passing failure, within the first attempt and three retries."""
        retry_count = 0
        told = ""
        while True:
            answer, failure = attempt.answer, attempt.failure
            encoding = attempt.payload.encoding
            if _is_encoding_refused(answer) and self._encoding.fall_back(encoding):
                log.info("The server doesn't support %s; sending %s", encoding, self._encoding.name)
                attempt = self.attempt(batch)
                continue
            if isinstance(answer, Acknowledgement) or (answer is not None and answer.status < 500):
                return answer
            retry_after = answer.retry_after if answer is not None else None
            is_soon = (retry_after or 0.0) <= _RETRY_AFTER_LONGEST_SECONDS
            if retry_count == len(RETRY_DELAYS) or not is_soon or self._clock.is_stopping:
                return self._give_up(batch, failure, retry_after)
            if failure != told:
                log.warning("%s", failure)
                told = failure
            self._clock.wait(max(_jittered(RETRY_DELAYS[retry_count]), retry_after or 0.0))
            if self._clock.is_stopping:
                return self._give_up(batch, failure, retry_after)
            retry_count += 1
            log.warning("Retry attempt %d/%d", retry_count, len(RETRY_DELAYS))
            attempt = self._try(attempt.payload)

    def _try(self, payload: Payload) -> Attempt:
        try:
            answer = self._request(payload)
            if answer.status == HTTPStatus.OK:
                return Attempt(payload, acknowledgement_of(answer, payload), "")
        except ServerUnreachable as error:
            return Attempt(payload, None, str(error))
        return Attempt(payload, answer, _failure(answer))

    def _request(self, payload: Payload) -> Response:
        batch = payload.batch
        started = self._clock.monotonic()
        timeout = None if self.deadline is None else max(0.1, self.deadline - started)
        answer = self._client.ingest(payload.body, payload.encoding, payload.batch_id, batch.header, timeout)
        log.debug(
            "batch %s: %s bytes %d to %d, %d lines, %d bytes %s, response %d after %.3f s",
            payload.batch_id,
            batch.source.file_name,
            batch.since,
            batch.until,
            len(batch.lines),
            len(payload.body),
            payload.encoding,
            answer.status,
            self._clock.monotonic() - started,
        )
        return answer

    def _pack(self, batch: Batch | Report) -> Payload:
        if not batch.body:
            return Payload(batch, "identity", b"")
        return Payload(batch, *self._encoding.encode(batch.body))

    def _give_up(self, batch: Batch | Report, failure: str, retry_after: float | None) -> Hold:
        seconds = max(self._flush_interval_seconds, retry_after or 0.0)
        return Hold(seconds, batch.until, failure, is_ambiguous=True)


def key_refusal(answer: Response) -> str:
    """In the words of the server, and what to do about it."""
    named = answer.message or "Invalid API Key"
    return f"{named}: set apiKey to the current API key; changes to errata.yaml apply immediately"


def _failure(answer: Response) -> str:
    said = f"The server responded with {answer.status} {answer.message}".rstrip()
    return said if answer.error else f"{said}; check that baseUrl points to an Errata server"


def _refusal(line: Line, answer: Response) -> Refusal:
    return Refusal(line, answer.error or f"http_{answer.status}", answer.message)


def _is_encoding_refused(answer: Acknowledgement | Response | None) -> bool:
    return isinstance(answer, Response) and answer.status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE


def _jittered(seconds: float) -> float:
    # Many hosts lose the same server at the same moment; they must not return at the same moment.
    return seconds * random.uniform(0.8, 1.2)
