"""`--retry-rejected`: what lies in rejected/ is delivered again, also while a shipper runs."""

import logging
import os
import pwd
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from errata_shipper.acknowledgement import Acknowledgement
from errata_shipper.batch import Batch, Line
from errata_shipper.client import ServerClient
from errata_shipper.clock import Clock
from errata_shipper.compression import Encoding
from errata_shipper.delivery import Delivery, Hold
from errata_shipper.errors import DirectoryHeld, RetryHeld, StoragePathUnusable
from errata_shipper.exit_code import ExitCode
from errata_shipper.lock import DirectoryLock
from errata_shipper.rejected import Refusal, RejectedFolder
from errata_shipper.rejected_record import RecordUnusable, records_in
from errata_shipper.scan import MAX_BATCH_BYTES
from errata_shipper.settings import Settings
from errata_shipper.source import Source

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Retried:
    """A line of rejected/ and where its record stands."""

    path: Path
    digest: bytes
    content: bytes


@dataclass
class Tally:
    delivered_count: int = 0
    refused_count: int = 0
    # No line could be made of the record.
    unusable_count: int = 0
    untried_count: int = 0
    exit_code: ExitCode = ExitCode.OK


class _NoSource(Source):
    """The ledger knows these bytes as set aside: no file has them as its next ones."""

    def header(self, since: int, until: int, **facts: object) -> str:
        return ""


@dataclass
class _Outcomes:
    """Of the lines of one batch, by where they stand in it: a refusal, or None if they were taken."""

    batch: Sequence[Retried]
    known: dict[int, Refusal | None] = field(default_factory=dict)

    def set_aside(self, batch: Batch, refusals: Sequence[Refusal]) -> None:
        self.known.update({refusal.line.since: refusal for refusal in refusals})

    def note(self, part: Batch, acknowledgement: Acknowledgement | None) -> None:
        for line in part.lines:
            self.known.setdefault(line.since, None)


class Retry:
    def __init__(self, settings: Settings, client: ServerClient, clock: Clock) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._encoding = Encoding(settings.compress)
        self._folder = RejectedFolder(settings.storage_path, clock)
        self._tally = Tally()
        self._reasons: Counter[str] = Counter()

    def run(self) -> Tally:
        """Raises RetryHeld if another one is at work."""
        if not self._folder.path.is_dir():
            return self._tally
        _check_owner(self._folder.path)
        try:
            with DirectoryLock(self._folder.path):
                for batch in self._batches(self._lines()):
                    if self._tally.exit_code or self._clock.is_stopping:
                        self._tally.untried_count += len(batch)
                    else:
                        self._deliver(batch)
            for reason, count in self._reasons.most_common():
                log.warning("Rejected again: %s, %s", reason, _lines(count))
        except DirectoryHeld as error:
            raise RetryHeld(error.path, error.holder) from error
        return self._tally

    def _lines(self) -> Iterator[Retried]:
        # All names first: what is set aside meanwhile has just been refused.
        for path in self._folder.files():
            for record, _ in records_in(path):
                try:
                    yield Retried(path, record.digest, record.content(self._folder.path))
                except RecordUnusable as error:
                    self._tally.unusable_count += 1
                    log.warning("A record in %s can't be delivered: %s", path, error)

    def _batches(self, lines: Iterable[Retried]) -> Iterator[list[Retried]]:
        batch: list[Retried] = []
        batch_bytes = 0
        for line in lines:
            is_full = len(batch) >= self._settings.batch_size
            if batch and (is_full or batch_bytes + len(line.content) > MAX_BATCH_BYTES):
                yield batch
                batch, batch_bytes = [], 0
            batch.append(line)
            batch_bytes += len(line.content)
        if batch:
            yield batch

    def _deliver(self, retried: Sequence[Retried]) -> None:
        """Send until all lines have an outcome, or it is clear that none is to be had now."""
        outcomes = _Outcomes(retried)
        delivery = Delivery(
            self._client, self._encoding, outcomes, self._clock, self._settings.flush_interval_seconds
        )
        whole, positions = _batch_of(retried)
        hold = delivery.deliver(whole, outcomes.note)
        while (
            hold is not None and hold.status == HTTPStatus.TOO_MANY_REQUESTS and not self._clock.is_stopping
        ):
            log.warning("%s; retrying in %.1f s", hold.why, hold.seconds)
            self._clock.wait(hold.seconds)
            rest = _without(whole, outcomes.known)
            hold = delivery.deliver(rest, outcomes.note) if rest.lines else None
        if hold is not None:
            self._give_up(hold)
        self._settle(dict(zip(positions, retried, strict=True)), outcomes.known)
        self._tally.untried_count += len(retried) - len(outcomes.known)

    def _give_up(self, hold: Hold) -> None:
        log.error("%s; undelivered lines stay in %s", hold.why, self._folder.path)
        is_refused = hold.is_key_refused
        self._tally.exit_code = ExitCode.KEY_REFUSED if is_refused else ExitCode.SERVER_UNREACHABLE

    def _settle(self, retried: dict[int, Retried], outcomes: dict[int, Refusal | None]) -> None:
        by_path: dict[Path, dict[bytes, Refusal | None]] = {}
        for position, refusal in outcomes.items():
            line = retried[position]
            by_path.setdefault(line.path, {})[line.digest] = refusal
            self._tally.delivered_count += refusal is None
            self._tally.refused_count += refusal is not None
            if refusal is not None:
                self._reasons[refusal.reason] += 1
                log.debug("Rejected again: %s %s, in %s", refusal.reason, refusal.message, line.path)
        for path, known in by_path.items():
            self._folder.settle(path, known)


def summary_of(tally: Tally, folder: Path) -> str:
    counts = {
        "delivered": tally.delivered_count,
        f"rejected again, kept in {folder}": tally.refused_count,
        f"unusable, kept in {folder}": tally.unusable_count,
        f"not tried, kept in {folder}": tally.untried_count,
    }
    lines = [f"{_lines(count)} {what}" for what, count in counts.items() if count]
    return "\n".join(lines) or f"nothing to deliver in {folder}"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _batch_of(retried: Sequence[Retried]) -> tuple[Batch, list[int]]:
    """The lines as a batch, and where in it each of them stands."""
    lines, since = [], 0
    for line in retried:
        until = since + len(line.content) + 1
        lines.append(Line(since, until))
        since = until
    content = b"".join(line.content + b"\n" for line in retried)
    source = _NoSource("", retried[0].path.name, "", 0)
    return Batch(source, 0, content, lines), [line.since for line in lines]


def _without(batch: Batch, known: dict[int, Refusal | None]) -> Batch:
    return Batch(
        batch.source, batch.since, batch.content, [line for line in batch.lines if line.since not in known]
    )


def _check_owner(folder: Path) -> None:
    """Files of another user in it would be out of the shipper's reach."""
    owner = folder.stat().st_uid
    if owner != os.geteuid():
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"#{owner}"
        raise StoragePathUnusable(
            "Storage path not accessible",
            folder,
            f"owned by {name}; run this as {name}: sudo -u {name} …",
        )
