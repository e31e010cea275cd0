"""The delivery loop: follow the files, send what is due, move the checkpoints."""

import logging
from collections.abc import Callable

from errata_shipper.acknowledgement import Acknowledgement
from errata_shipper.batch import Batch, Line
from errata_shipper.checkpoint import EDGE_BYTES
from errata_shipper.client import Client
from errata_shipper.clock import Clock
from errata_shipper.compression import Encoding
from errata_shipper.connection import Connection
from errata_shipper.delivery import Delivery, Hold
from errata_shipper.errors import FileReplaced, ShipperError
from errata_shipper.key_ring import KeyRing
from errata_shipper.lanes import Lanes
from errata_shipper.lock import DirectoryLock
from errata_shipper.log_directory import LogDirectory
from errata_shipper.rejected import Edge, Refusal, RejectedFolder
from errata_shipper.scan import OversizeLine
from errata_shipper.settings import Settings
from errata_shipper.source import host_name
from errata_shipper.tail import Tail
from errata_shipper.tracker import Tracker, moment
from errata_shipper.watcher import Watcher
from errata_shipper.window import Sent, Window

_LOOK_SECONDS = 1.0
_NO_FILES_SECONDS = 60.0
# What is written all the time wakes the shipper no more often than this.
_REST_SECONDS = 0.05
# While batches follow each other, tracker.json is flushed to disk no more often than this. What a kill
# makes the shipper repeat is sent in the same batches again, whose ids the server knows.
_SAVE_SECONDS = 0.2
# Nor so often that it takes more of the time than this: the tracker of 5,000 files has 1.6 MB.
_SAVE_SHARE = 0.05

log = logging.getLogger(__name__)


class Agent:
    """The one shipper of a storage path, whose lock the caller holds; it is renewed with the folder."""

    def __init__(
        self,
        settings: Settings,
        client: Client,
        clock: Clock,
        host: str = "",
        keys: KeyRing | None = None,
        lock: DirectoryLock | None = None,
        is_watching: bool = True,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._tracker = Tracker(settings.storage_path)
        self._rejected = RejectedFolder(settings.storage_path, clock)
        self._delivery = Delivery(
            client, Encoding(settings.compress), self._rejected, clock, settings.flush_interval_seconds
        )
        self.directory = LogDirectory(
            settings.storage_path,
            self._tracker,
            host or host_name(settings.instance),
            settings.batch_size,
        )
        self._watcher = Watcher(
            settings.storage_path, self.directory, self._tracker, clock, lock, is_watching
        )
        self._window = Window(self._delivery, settings.concurrency)
        flush_seconds = settings.flush_interval_seconds
        self._lanes = Lanes(self.directory, clock, flush_seconds)
        self._connection = Connection(client, self._delivery, clock, flush_seconds, keys)
        self._looked_at = float("-inf")
        self._held_until = float("-inf")
        self._report_at = float("-inf")
        # Then lines come first, once: what answers reports may be another than what answers them.
        self._has_report_failed = False
        self._saved_at = float("-inf")
        self._save_took = 0.0
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
        self._recall_rest()
        self._look()
        while not self._clock.is_stopping and not self._is_held() and self._send_next():
            if self._clock.monotonic() - self._looked_at >= _LOOK_SECONDS:
                # A look may find that a file is another one by now.
                self._settle()
                self._look()
        self._settle()
        self._save_moved()
        if self._connection.is_to_verify and not self._is_held():
            self._verify()

    def _verify(self) -> None:
        outcome = self._connection.verify()
        if isinstance(outcome, Hold):
            self._fail(outcome)
        elif outcome is not None:
            self._note_error(str(outcome))
        elif self._connection.is_made:
            self._tracker.resolve_error(self._clock.now())

    def flush(self) -> None:
        """On the way out: deliver what complete lines there are, within `timeout` and without retries."""
        self._delivery.deadline = self._clock.monotonic() + self._settings.timeout_seconds
        self._recall_rest()
        self._watcher.scan_all()
        while self._clock.monotonic() < self._delivery.deadline and not self._is_held():
            if not self._send_next(is_flushing=True):
                break
        self._settle()

    def close(self) -> None:
        self.directory.keep_sizes()
        self._safely(self._save_moved)
        self._watcher.close()
        self._window.close()

    def _safely(self, action: Callable[[], None]) -> None:
        try:
            action()
        except ShipperError:
            raise
        except OSError as error:
            self._hold(self._settings.flush_interval_seconds)
            log.error("Storage path not accessible")
            log.error("%s; lines are kept", error)
        except Exception:
            # An agent that ends delivers nothing; the log file keeps the lines.
            self._hold(self._settings.flush_interval_seconds)
            log.exception("Delivery failed unexpectedly; lines are kept")

    def _wait(self) -> None:
        """Until something was written or is due; what is written all the time is looked at now and then."""
        now = self._clock.monotonic()
        due_at = float("inf") if self._is_held() else self._lanes.due_at()
        until = max(min(now + _LOOK_SECONDS, due_at), now + _REST_SECONDS)
        rest_seconds = max(_REST_SECONDS, self._settings.flush_interval_seconds / 20)
        rest_until = self._looked_at + min(rest_seconds, _LOOK_SECONDS)
        if now < rest_until:
            self._clock.wait(min(rest_until, until) - now)
        self._clock.wait(max(0.0, until - self._clock.monotonic()), self._watcher.descriptor)

    def _look(self) -> None:
        if self._connection.refresh_keys():
            self._held_until = float("-inf")
        self._watcher.update()
        self._looked_at = self._clock.monotonic()
        if self._warn_without_files_at is None:
            return
        if self.directory.tails:
            self._warn_without_files_at = None
        elif self._looked_at >= self._warn_without_files_at:
            self._warn_without_files_at = None
            log.warning(
                "No log files in %s yet; check that the SDK's storage_path is the same directory",
                self._settings.storage_path,
            )

    def _is_held(self) -> bool:
        return self._clock.monotonic() < self._held_until

    def _hold(self, seconds: float) -> None:
        if seconds > 0:
            self._held_until = self._clock.monotonic() + seconds

    def _send_next(self, is_flushing: bool = False) -> bool:
        """Send a batch that is due, else settle what was sent first, else tell a report; False: none."""
        is_report_due = bool(self._tracker.reports) and self._report_at <= self._clock.monotonic()
        may_send = self._window.has_room and (not is_report_due or self._has_report_failed)
        tail = self._lanes.next_due(is_flushing) if may_send else None
        if tail is not None:
            self._send_from(tail)
        elif self._window.oldest is not None:
            self._settle_oldest(self._window.oldest)
        elif is_report_due:
            self._report()
        else:
            return False
        return True

    def _send_from(self, tail: Tail) -> None:
        try:
            piece = tail.next_batch()
            if isinstance(piece, Batch) and piece.lines:
                self._send(tail, piece)
            elif self._settle():
                self._pass_over(tail, piece)
        except FileReplaced:
            if self._settle():
                self._begin_again(tail)
        finally:
            self.directory.rest(tail)

    def _send(self, tail: Tail, batch: Batch) -> None:
        if self._lanes.may_grow(tail):
            # Killed before the answer, a shipper would cut another batch, with the lines written since.
            tail.mark_attempted(batch.until)
            self._tracker.keep(tail.checkpoint)
            self._save()
        self._lanes.note_sent()
        self._window.send(tail, batch)

    def _recall_rest(self) -> None:
        """What an exception left on its way: files are looked at only with nothing on it."""
        if self._window.oldest is not None:
            self._window.recall()

    def _settle(self) -> bool:
        """Wait for all that is on its way; False if some of it has to be sent again later."""
        while (oldest := self._window.oldest) is not None:
            if not self._settle_oldest(oldest):
                return False
        return True

    def _settle_oldest(self, sent: Sent) -> bool:
        """In the order in which they were sent, so that no checkpoint passes what is not stored."""
        hold = self._delivery.deliver(
            sent.batch, lambda part, outcome: self._done(sent, part, outcome), sent.first.result()
        )
        if hold is None:
            self._window.settle_oldest()
        else:
            self._keep(sent, hold)
        self.directory.rest(sent.tail)
        return hold is None

    def _report(self) -> None:
        """Tell the ledger the oldest thing that it has yet to be told."""
        hold = self._delivery.report(self._tracker.reports[0])
        self._has_report_failed = hold is not None
        if hold is not None:
            self._report_at = self._clock.monotonic() + hold.seconds
            self._tracker.postpone_report()
            if not hold.is_of_report_alone:
                self._fail(hold)
            return
        self._connection.note_made()
        self._tracker.drop_report()
        self._save_soon()

    def _begin_again(self, tail: Tail) -> None:
        # A copy that was made of it must be found before it is forgotten how far it was delivered.
        checkpoint = tail.checkpoint
        self._watcher.scan_all()
        if tail.checkpoint is checkpoint:
            self.directory.begin_again(tail)

    def _pass_over(self, tail: Tail, piece: Batch | OversizeLine) -> None:
        """What is not sent: blank lines, or one that is too long."""
        if isinstance(piece, OversizeLine) and not piece.is_blank:
            self._set_aside(tail, piece)
            return
        if isinstance(piece, Batch):
            edge = piece.content
        else:
            edge = b"".join(tail.chunks(max(piece.since, piece.until - EDGE_BYTES), piece.until))
        self._tracker.report(tail.report(piece.since, piece.until))
        self._move(tail, piece.until, edge)

    def _set_aside(self, tail: Tail, line: OversizeLine) -> None:
        message = f"{line.until - line.since - 1} bytes, over the limit of a line"
        edge = Edge(EDGE_BYTES)
        refusal = Refusal(Line(line.since, line.until), "line_too_large", message)
        self._rejected.set_aside_file(tail.name, refusal, edge.passing(tail.chunks(line.since, line.until)))
        self._tracker.report(tail.report(line.since, line.until, set_aside_count=1))
        self._move(tail, line.until, edge.content)

    def _done(self, sent: Sent, part: Batch, acknowledgement: Acknowledgement | None) -> None:
        tail = sent.tail
        self._connection.note_made()
        self._has_report_failed = False
        if acknowledgement is None:
            self._tracker.report(tail.report(part.since, part.until, set_aside_count=len(part.lines)))
        else:
            self._tracker.last_delivery = {
                "at": moment(self._clock.now()),
                "batch_id": acknowledgement.batch_id,
                "file": part.source.file_name,
                "lines": acknowledgement.accepted_count,
            }
        self._tracker.resolve_error(self._clock.now())
        # Behind a half of it the other one begins, and not a batch with lines that were sent in the next one.
        rest_until = sent.batch.until if part.until < sent.batch.until else None
        self._move(tail, part.until, part.content, rest_until)

    def _move(self, tail: Tail, until: int, delivered: bytes, attempted_until: int | None = None) -> None:
        # Only now: a crash before this sends the lines again, a crash after an earlier save would lose them.
        tail.advance(until, delivered, moment(self._clock.now()), attempted_until)
        self._tracker.keep(tail.checkpoint)
        self._save_soon()

    def _save_soon(self) -> None:
        if self._clock.monotonic() - self._saved_at >= max(_SAVE_SECONDS, self._save_took / _SAVE_SHARE):
            self._save()

    def _save_moved(self) -> None:
        if self._tracker.is_changed:
            self._save()

    def _save(self) -> None:
        if self._watcher.is_missing:
            return
        if self._tracker.was_removed():
            # To write it anew would hide that somebody wants everything delivered again.
            return
        started = self._clock.monotonic()
        self._tracker.save(self._clock.now())
        self._saved_at = self._clock.monotonic()
        self._save_took = self._saved_at - started

    def _keep(self, sent: Sent, hold: Hold) -> None:
        tail = sent.tail
        if hold.is_ambiguous:
            self._connection.note_lost()
            tail.mark_attempted(hold.until)
        elif tail.offset == sent.batch.since:
            tail.mark_unattempted()
        self._tracker.keep(tail.checkpoint)
        self._fail(hold)

    def _fail(self, hold: Hold) -> None:
        seconds = max(hold.seconds, self._window.recall())
        self._hold(seconds)
        level = logging.ERROR if hold.is_ambiguous else logging.WARNING
        again = "after a restart" if self._clock.is_stopping else f"in {seconds:.1f} s"
        log.log(level, "%s; lines are kept, retrying %s", hold.why, again)
        if hold.is_key_refused:
            self._connection.note_refused()
        self._note_error(hold.why)

    def _note_error(self, why: str) -> None:
        self._tracker.note_error(why, self._clock.now())
        self._save()
