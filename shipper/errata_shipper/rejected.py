"""`rejected/`: the lines the server will not take, kept on the host with the reason."""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_shipper.batch import Batch, Line
from errata_shipper.checkpoint import hash_of
from errata_shipper.clock import Clock
from errata_shipper.durable_file import replace_durably, sync_directory
from errata_shipper.rejected_record import Record, packed, records_in, text_fields
from errata_shipper.tracker import moment

FOLDER_NAME = "rejected"
RECORDS_SUFFIX = ".ndjson"
# Of one batch: an application with a wrong key must not flood the log.
_TOLD_COUNT = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Refusal:
    """Why a line was not taken: `reason` is a word of the wire's closed list or an error code."""

    line: Line
    reason: str
    message: str


class RejectedFolder:
    """One file a batch, named by what it holds: a batch that is delivered again replaces what it left."""

    def __init__(self, storage_path: Path, clock: Clock) -> None:
        self.path = storage_path / FOLDER_NAME
        self._clock = clock

    def set_aside(self, batch: Batch, refusals: Sequence[Refusal]) -> None:
        file_name = batch.source.file_name
        records = [
            {**self._fields(file_name, refusal), **text_fields(batch.content_of(refusal.line)[:-1])}
            for refusal in refusals
        ]
        content = hash_of(b"".join(batch.content_of(refusal.line) for refusal in refusals))
        name = f"{file_name}.{batch.since}-{batch.until}.{content[:12]}{RECORDS_SUFFIX}"
        self._prepare()
        with self._locked():
            self._write(name, map(packed, records))
        self._tell(file_name, name, refusals)

    def set_aside_file(self, file_name: str, refusal: Refusal, chunks: Iterable[bytes]) -> None:
        """A line too long to be held in memory: its bytes get a file of their own."""
        stem = f"{file_name}.{refusal.line.since}-{refusal.line.until}"
        record = {**self._fields(file_name, refusal), "line_file": f"{stem}.line"}
        self._prepare()
        with self._locked():
            self._write(f"{stem}.line", chunks)
            self._write(f"{stem}{RECORDS_SUFFIX}", [packed(record)])
        self._tell(file_name, f"{stem}{RECORDS_SUFFIX}", [refusal])

    def files(self) -> list[Path]:
        """Those that hold records."""
        return sorted(self.path.glob(f"*{RECORDS_SUFFIX}"))

    def settle(self, path: Path, outcomes: Mapping[bytes, Refusal | None]) -> None:
        """Drop the records whose lines were delivered (None); write down why others were refused again.

        `outcomes` goes by the digests of records; what else the file holds by now stays in it.
        """
        with self._locked():
            delivered = [
                record for record, _ in _records(path) if outcomes.get(record.digest, record) is None
            ]
            if any(record.digest not in outcomes or outcomes[record.digest] for record, _ in _records(path)):
                self._write(path.name, self._kept(path, outcomes))
            else:
                path.unlink(missing_ok=True)
                sync_directory(self.path)
            for record in delivered:
                if record.line_file is not None:
                    (self.path / record.line_file).unlink(missing_ok=True)

    def _kept(self, path: Path, outcomes: Mapping[bytes, Refusal | None]) -> Iterator[bytes]:
        for record, raw in _records(path):
            if record.digest not in outcomes:
                yield raw
            elif (refusal := outcomes[record.digest]) is not None:
                yield packed({**record.fields, **self._why(refusal)})

    def _fields(self, file_name: str, refusal: Refusal) -> dict[str, Any]:
        return {
            **self._why(refusal),
            "file": file_name,
            "from": refusal.line.since,
            "to": refusal.line.until,
        }

    def _why(self, refusal: Refusal) -> dict[str, str]:
        now = moment(self._clock.now())
        return {"reason": refusal.reason, "message": refusal.message, "set_aside_at": now}

    def _write(self, name: str, chunks: Iterable[bytes]) -> None:
        replace_durably(self.path / name, chunks, 0o600)

    def _tell(self, file_name: str, name: str, refusals: Sequence[Refusal]) -> None:
        for refusal in refusals[:_TOLD_COUNT]:
            log.warning(
                "Line rejected: %s %s (%s bytes %d to %d), kept in %s",
                refusal.reason,
                refusal.message,
                file_name,
                refusal.line.since,
                refusal.line.until,
                self.path / name,
            )
        if len(refusals) > _TOLD_COUNT:
            more = len(refusals) - _TOLD_COUNT
            log.warning("Line rejected: %d more in the same batch, in the same file", more)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone in the folder: the shipper and `--retry-rejected` both write to it, each for a moment."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _prepare(self) -> None:
        """The folder, private; never a link that someone else put there."""
        try:
            self.path.mkdir(mode=0o700)
            sync_directory(self.path.parent)
        except FileExistsError:
            if self.path.is_symlink():
                raise NotADirectoryError(20, "is a symbolic link", str(self.path)) from None
            if self.path.stat().st_mode & 0o077:
                self.path.chmod(0o700)


def _records(path: Path) -> Iterator[tuple[Record, bytes]]:
    if path.exists():
        yield from records_in(path)


class Edge:
    """Passes chunks on and remembers their last bytes."""

    def __init__(self, length: int) -> None:
        self._length = length
        self.content = b""

    def passing(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.content = (self.content + chunk)[-self._length :]
            yield chunk
