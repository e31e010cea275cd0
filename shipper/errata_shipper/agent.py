"""The delivery loop: follow the files, send what is due, move the checkpoints."""

import logging
import re
import socket
from collections.abc import Callable

from errata_shipper.acknowledgement import Acknowledgement
from errata_shipper.batch import Batch, Line
from errata_shipper.checkpoint import EDGE_BYTES
from errata_shipper.client import ServerClient
from errata_shipper.clock import Clock
from errata_shipper.compression import Encoding
from errata_shipper.delivery import Delivery, Hold
from errata_shipper.errors import FileReplaced, ServerUnreachable, ShipperError
from errata_shipper.key_ring import KeyRing
from errata_shipper.lock import DirectoryLock
from errata_shipper.log_directory import LogDirectory
from errata_shipper.lookout import Lookout
from errata_shipper.rejected import Edge, Refusal, RejectedFolder
from errata_shipper.settings import Settings
from errata_shipper.tail import MAX_LINE_BYTES, OversizeLine, Tail
from errata_shipper.tracker import Tracker, moment

STOP_SECONDS = 5.0
_LOOK_SECONDS = 1.0
_NO_FILES_SECONDS = 60.0
# What is written all the time wakes the shipper no more often than this.
_REST_SECONDS = 0.05
# While batches follow each other, tracker.json is flushed to disk no more often than this. What a kill
# makes the shipper repeat is sent in the same batches again, whose ids the server knows.
_SAVE_SECONDS = 0.2

log = logging.getLogger(__name__)


class Agent:
    """The one shipper of a storage path, whose lock the caller holds; it is renewed with the folder."""

    def __init__(
        self,
        settings: Settings,
        client: ServerClient,
        clock: Clock,
        host: str = "",
        stop_seconds: float = STOP_SECONDS,
        keys: KeyRing | None = None,
        lock: DirectoryLock | None = None,
        is_watching: bool = True,
    ) -> None:
        self._settings = settings
        self._stop_seconds = stop_seconds
        self._client = client
        self._keys = keys
        self._clock = clock
        self._tracker = Tracker(settings.storage_path)
        self._rejected = RejectedFolder(settings.storage_path, clock)
        self._delivery = Delivery(
            client, Encoding(settings.compress), self._rejected, clock, settings.flush_interval_seconds
        )
        self._directory = LogDirectory(
            settings.storage_path, self._tracker, host or host_name(), settings.batch_size
        )
        self._lookout = Lookout(
            settings.storage_path, self._directory, self._tracker, clock, lock, is_watching
        )
        self._looked_at = float("-inf")
        self._held_until = float("-inf")
        self._verify_at = float("-inf")
        self._saved_at = float("-inf")
        self._is_connected = False
        self._is_newest_turn = True
        self._warn_without_files_at: float | None = clock.monotonic() + _NO_FILES_SECONDS

    def run(self) -> None:
        """Until the clock says stop; raises only if another shipper holds the storage path by now."""
        log.info("Starting shipper...")
        self.load()
        try:
            while not self._clock.is_stopping:
                self._safely(self.step)
                self._wait()
            self._safely(self.flush)
        finally:
            self.close()

    def load(self) -> None:
        self._tracker.load(self._clock.now())

    def step(self) -> None:
        """Deliver all that is due now."""
        self._refresh_keys()
        self._look()
        while not self._clock.is_stopping and not self._is_held():
            if self._tracker.reports:
                self._report()
                continue
            tail = self._next_due()
            if tail is None:
                break
            self._deliver_from(tail)
            if self._clock.monotonic() - self._looked_at >= _LOOK_SECONDS:
                self._look()
        self._save_moved()
        if self._verify_at <= self._clock.monotonic() and not self._is_held():
            self._verify()

    def flush(self) -> None:
        """On the way out: deliver what complete lines there are, in a bounded time and without retries."""
        self._delivery.deadline = self._clock.monotonic() + self._stop_seconds
        self._look()
        while self._clock.monotonic() < self._delivery.deadline and not self._is_held():
            if self._tracker.reports:
                self._report()
                continue
            tail = self._next_due(is_flushing=True)
            if tail is None:
                break
            self._deliver_from(tail)

    def close(self) -> None:
        self._safely(self._save_moved)
        self._lookout.close()

    def _safely(self, action: Callable[[], None]) -> None:
        try:
            action()
        except ShipperError:
            raise
        except OSError as error:
            self._hold(self._settings.flush_interval_seconds)
            log.error("Storage path not accessible")
            log.error("%s; the lines are kept", error)
        except Exception:
            # An agent that ends delivers nothing; the log file keeps the lines.
            self._hold(self._settings.flush_interval_seconds)
            log.exception("Delivery failed unexpectedly; the lines are kept")

    def _wait(self) -> None:
        """Until something was written or is due; what is written all the time is looked at now and then."""
        now = self._clock.monotonic()
        flush_seconds = self._settings.flush_interval_seconds
        until = now + _LOOK_SECONDS
        if not self._is_held():
            unread = (tail.unread_since for tail in self._directory.tails)
            until = min([until, *(since + flush_seconds for since in unread if since is not None)])
        until = max(until, now + _REST_SECONDS)
        rest_until = self._looked_at + min(max(_REST_SECONDS, flush_seconds / 20), _LOOK_SECONDS)
        if now < rest_until:
            self._clock.wait(min(rest_until, until) - now)
        self._clock.wait(max(0.0, until - self._clock.monotonic()), self._lookout.descriptor)

    def _look(self) -> None:
        self._lookout.look()
        self._looked_at = self._clock.monotonic()
        if self._warn_without_files_at is None:
            return
        if self._directory.tails:
            self._warn_without_files_at = None
        elif self._looked_at >= self._warn_without_files_at:
            self._warn_without_files_at = None
            log.warning(
                "No log file in %s yet; check that the SDK's storage_path is the same directory",
                self._settings.storage_path,
            )

    def _is_held(self) -> bool:
        return self._clock.monotonic() < self._held_until

    def _hold(self, seconds: float) -> None:
        self._held_until = self._clock.monotonic() + seconds

    def _refresh_keys(self) -> None:
        if self._keys is None:
            return
        was_refused = self._keys.is_refused
        if self._keys.refresh():
            self._delivery.forget_refusals()
            self._is_connected = False
            self._verify_at = float("-inf")
            if was_refused:
                self._held_until = float("-inf")

    def _refused(self) -> None:
        self._is_connected = False
        if self._keys is not None:
            self._keys.note_refusal()

    def _verify(self) -> None:
        """While there is nothing to deliver yet, say whether server and key are right."""
        self._verify_at = self._clock.monotonic() + max(10.0, self._settings.flush_interval_seconds)
        try:
            answer = self._client.verify_key()
        except ServerUnreachable as error:
            log.warning("%s", error)
            return
        if answer.status == 200:
            self._connected()
        elif answer.status == 401:
            log.error("Authentication failed")
            log.error("%s: check apiKey", answer.message or "Invalid API Key")
            self._hold(self._delivery.growing_seconds())
            self._verify_at = self._held_until
            self._refused()

    def _connected(self) -> None:
        self._verify_at = float("inf")
        if self._keys is not None:
            self._keys.note_acceptance()
        if not self._is_connected:
            self._is_connected = True
            log.info("Connected to errata")

    def _next_due(self, is_flushing: bool = False) -> Tail | None:
        """The newest file and the oldest with a backlog take turns, so that neither starves the other."""
        tails = self._directory.tails
        newest, older = tails[-1:], tails[:-1]
        # An older file is no longer written to as a rule: waiting would not fill its batch.
        turns = [(newest, is_flushing), (older, True)]
        for lane, is_flushed in turns if self._is_newest_turn else reversed(turns):
            for tail in lane:
                if self._is_due(tail, is_flushed):
                    self._is_newest_turn = lane is older
                    return tail
        return None

    def _is_due(self, tail: Tail, is_flushing: bool) -> bool:
        if tail.is_waiting or tail.size <= tail.offset or not (tail.has_batch or tail.is_unscanned):
            return False
        was_open = tail.is_open
        try:
            tail.scan(self._clock.monotonic())
        except OSError as error:
            # One file that cannot be read must not hold back the others.
            self._directory.report_unreadable(tail.path, error)
        if not tail.has_batch:
            if not was_open:
                tail.close()
            return False
        if is_flushing or tail.has_full_batch or tail.unread_since is None:
            return True
        return self._clock.monotonic() - tail.unread_since >= self._settings.flush_interval_seconds

    def _deliver_from(self, tail: Tail) -> None:
        try:
            piece = tail.next_batch()
            if isinstance(piece, OversizeLine):
                self._pass_over(tail, piece)
                return
        except FileReplaced:
            self._begin_again(tail)
            return
        if not piece.lines:
            self._tracker.report(tail.report(piece.since, piece.until))
            self._move(tail, piece.until, piece.content)
            return
        hold = self._delivery.deliver(piece, lambda part, outcome: self._done(tail, part, outcome))
        if hold is not None:
            self._keep(tail, hold)
        self._directory.rest(tail)

    def _report(self) -> None:
        """Tell the ledger the oldest thing that it has yet to be told."""
        hold = self._delivery.report(self._tracker.reports[0])
        if hold is not None:
            self._fail(hold)
            return
        self._connected()
        self._tracker.drop_report()
        self._save_soon()

    def _begin_again(self, tail: Tail) -> None:
        # A copy that was made of it must be found before it is forgotten how far it was delivered.
        checkpoint = tail.checkpoint
        self._lookout.look_at_everything()
        if tail.checkpoint is checkpoint:
            self._directory.begin_again(tail)

    def _pass_over(self, tail: Tail, line: OversizeLine) -> None:
        if line.is_blank:
            edge = b"".join(tail.chunks(max(line.since, line.until - EDGE_BYTES), line.until))
            self._tracker.report(tail.report(line.since, line.until))
            self._move(tail, line.until, edge)
        else:
            self._set_aside(tail, line)

    def _set_aside(self, tail: Tail, line: OversizeLine) -> None:
        message = f"{line.until - line.since - 1} bytes, over {MAX_LINE_BYTES}"
        edge = Edge(EDGE_BYTES)
        refusal = Refusal(Line(line.since, line.until), "line_too_large", message)
        self._rejected.set_aside_file(tail.name, refusal, edge.passing(tail.chunks(line.since, line.until)))
        self._tracker.report(tail.report(line.since, line.until, set_aside_count=1))
        self._move(tail, line.until, edge.content)

    def _done(self, tail: Tail, part: Batch, acknowledgement: Acknowledgement | None) -> None:
        self._connected()
        if acknowledgement is None:
            self._tracker.report(tail.report(part.since, part.until, set_aside_count=len(part.lines)))
        else:
            self._tracker.last_delivery = {
                "at": moment(self._clock.now()),
                "batch_id": acknowledgement.batch_id,
                "file": part.source.file_name,
                "lines": acknowledgement.accepted_count,
            }
        self._tracker.last_error = None
        self._move(tail, part.until, part.content)

    def _move(self, tail: Tail, until: int, delivered: bytes) -> None:
        # Only now: a crash before this sends the lines again, a crash after an earlier save would lose them.
        tail.advance(until, delivered, moment(self._clock.now()))
        self._tracker.keep(tail.checkpoint)
        self._save_soon()

    def _save_soon(self) -> None:
        if self._clock.monotonic() - self._saved_at >= _SAVE_SECONDS:
            self._save()

    def _save_moved(self) -> None:
        if self._tracker.is_changed:
            self._save()

    def _save(self) -> None:
        if self._lookout.is_missing:
            return
        if self._tracker.was_removed():
            # To write it anew would hide that somebody wants everything delivered again.
            return
        self._tracker.save(self._clock.now())
        self._saved_at = self._clock.monotonic()

    def _keep(self, tail: Tail, hold: Hold) -> None:
        if hold.is_ambiguous:
            self._is_connected = False
            tail.mark_attempted(hold.until)
        else:
            tail.mark_unattempted()
        self._tracker.keep(tail.checkpoint)
        self._fail(hold)

    def _fail(self, hold: Hold) -> None:
        self._hold(hold.seconds)
        level = logging.ERROR if hold.is_ambiguous else logging.WARNING
        log.log(level, "%s; the lines are kept, next try in %.1f s", hold.why, hold.seconds)
        if hold.is_key_refused:
            self._refused()
        self._tracker.last_error = {"at": moment(self._clock.now()), "message": hold.why}
        self._save()


def host_name() -> str:
    """This host's name, free of what would break the X-Errata-Source header."""
    return re.sub(r"[^\w.-]", "_", socket.gethostname(), flags=re.ASCII) or "unknown"
