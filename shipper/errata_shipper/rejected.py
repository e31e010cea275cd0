"""`rejected/`: the lines the server will not take, kept on the host with the reason."""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_shipper.batch import Batch, Line
from errata_shipper.checkpoint import hash_of
from errata_shipper.clock import Clock
from errata_shipper.durable_file import replace_durably, sync_directory
from errata_shipper.tracker import moment

FOLDER_NAME = "rejected"


@dataclass(frozen=True)
class Refusal:
    """Why a line was not taken: `reason` is a word of the wire's closed list or an error code."""

    line: Line
    reason: str
    message: str


class RejectedFolder:
    """One file a batch, named by what it holds: a batch that is delivered again replaces what it left."""

    def __init__(self, storage_path: Path, clock: Clock) -> None:
        self._path = storage_path / FOLDER_NAME
        self._clock = clock

    def set_aside(self, batch: Batch, refusals: Sequence[Refusal]) -> Path:
        records = [
            {**self._record(batch.source.file_name, refusal), **_text_of(batch.content_of(refusal.line)[:-1])}
            for refusal in refusals
        ]
        content = hash_of(b"".join(batch.content_of(refusal.line) for refusal in refusals))
        stem = f"{batch.source.file_name}.{batch.since}-{batch.until}.{content[:12]}"
        return self._write(f"{stem}.ndjson", records)

    def set_aside_file(self, file_name: str, refusal: Refusal, chunks: Iterable[bytes]) -> Path:
        """A line too long to be held in memory: its bytes get a file of their own."""
        stem = f"{file_name}.{refusal.line.since}-{refusal.line.until}"
        self._prepare()
        line_path = self._path / f"{stem}.line"
        replace_durably(line_path, chunks, 0o600)
        return self._write(
            f"{stem}.ndjson", [{**self._record(file_name, refusal), "line_file": line_path.name}]
        )

    def _record(self, file_name: str, refusal: Refusal) -> dict[str, Any]:
        return {
            "reason": refusal.reason,
            "message": refusal.message,
            "set_aside_at": moment(self._clock.now()),
            "file": file_name,
            "from": refusal.line.since,
            "to": refusal.line.until,
        }

    def _write(self, name: str, records: Sequence[dict[str, Any]]) -> Path:
        self._prepare()
        # "replace": the server's message may hold what UTF-8 cannot, the line cannot.
        lines = (
            json.dumps(record, ensure_ascii=False).encode(errors="replace") + b"\n" for record in records
        )
        replace_durably(self._path / name, lines, 0o600)
        return self._path / name

    def _prepare(self) -> None:
        """The folder, private; never a link that someone else put there."""
        try:
            self._path.mkdir(mode=0o700)
            sync_directory(self._path.parent)
        except FileExistsError:
            if self._path.is_symlink():
                raise NotADirectoryError(20, "is a symbolic link", str(self._path)) from None
            if self._path.stat().st_mode & 0o077:
                self._path.chmod(0o700)


def _text_of(content: bytes) -> dict[str, str]:
    try:
        return {"line": content.decode()}
    except UnicodeDecodeError:
        return {"line_b64": base64.b64encode(content).decode()}


class Edge:
    """Passes chunks on and remembers their last bytes."""

    def __init__(self, length: int) -> None:
        self._length = length
        self.content = b""

    def passing(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.content = (self.content + chunk)[-self._length :]
            yield chunk
