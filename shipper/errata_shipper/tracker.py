"""tracker.json: what has been delivered, readable by people, replaced as a whole."""

import json
import logging
from dataclasses import asdict, fields
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from errata_shipper.checkpoint import EDGE_BYTES, HEAD_BYTES, Checkpoint
from errata_shipper.durable_file import replace_durably
from errata_shipper.report import Report, report_of

VERSION = 1
TRACKER_NAME = "tracker.json"

log = logging.getLogger(__name__)


class TrackerDamaged(ValueError):
    pass


class Tracker:
    def __init__(self, storage_path: Path) -> None:
        self.path = storage_path / TRACKER_NAME
        self.checkpoints: dict[tuple[int, int], Checkpoint] = {}
        self.last_delivery: dict[str, Any] | None = None
        self.last_error: dict[str, Any] | None = None
        # What the delivery ledger has yet to be told; kept until the server has said that it knows.
        self.reports: list[Report] = []
        self._is_written = False

    def load(self, now: datetime) -> None:
        """Read the file; a damaged one is set aside, so that everything is delivered again."""
        try:
            self.read()
        except TrackerDamaged as error:
            aside = self.path.with_name(f"tracker.damaged-{now:%Y%m%dT%H%M%S}.json")
            self.path.replace(aside)
            log.warning(
                "%s is damaged (%s) and was set aside as %s; every log file is delivered again, "
                "the server counts each event once",
                self.path,
                error,
                aside.name,
            )

    def read(self) -> None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        try:
            document = json.loads(content)
            if document["version"] != VERSION:
                raise TrackerDamaged(f"version {document['version']}, expected {VERSION}")
            checkpoints = [_checkpoint(entry) for entry in document["files"]]
            reports = [report_of(entry) for entry in document.get("reports", [])]
            self.last_delivery = _object_or_none(document.get("last_delivery"))
            self.last_error = _object_or_none(document.get("last_error"))
        except TrackerDamaged:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise TrackerDamaged(str(error) or type(error).__name__) from error
        self.checkpoints = {checkpoint.key: checkpoint for checkpoint in checkpoints}
        self.reports = reports
        self._is_written = True

    def find(self, name: str, device: int, inode: int) -> Checkpoint | None:
        exact = self.checkpoints.get((device, inode))
        if exact is not None:
            return exact
        # Device numbers may change when a machine restarts; the hashes are checked by the caller.
        for checkpoint in self.checkpoints.values():
            if checkpoint.inode == inode and checkpoint.name == name:
                return checkpoint
        return None

    def was_removed(self) -> bool:
        return self._is_written and not self.path.exists()

    def forget_everything(self) -> None:
        self.checkpoints.clear()
        self._is_written = False

    def report(self, report: Report) -> None:
        joined = self.reports[-1].joined(report) if self.reports else None
        if joined is None:
            self.reports.append(report)
        else:
            self.reports[-1] = joined

    def save(self, now: datetime) -> None:
        """With a line a file: readable, and quick to write beside thousands of old files."""
        entries = ",\n    ".join(sorted(map(_text_of, self.checkpoints.values())))
        fields_text = {
            "version": json.dumps(VERSION),
            "updated_at": json.dumps(moment(now)),
            "last_delivery": json.dumps(self.last_delivery),
            "last_error": json.dumps(self.last_error),
            "reports": json.dumps([report.document() for report in self.reports]),
            "files": f"[\n    {entries}\n  ]",
        }
        text = ",\n".join(f'  "{name}": {value}' for name, value in fields_text.items())
        replace_durably(self.path, [f"{{\n{text}\n}}\n".encode()], 0o640)
        self._is_written = True


def moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _object_or_none(value: object) -> dict[str, Any] | None:
    if value is not None and not isinstance(value, dict):
        raise TrackerDamaged(f"{value!r} is not an object")
    return value


@lru_cache(maxsize=8192)
def _text_of(checkpoint: Checkpoint) -> str:
    return json.dumps(asdict(checkpoint))


_HASHED = ("head_bytes", "edge_bytes")
# What the kernel takes as a file offset.
_LARGEST = (1 << 63) - 1


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    names = {field.name for field in fields(Checkpoint)}
    checkpoint = Checkpoint(**{name: value for name, value in entry.items() if name in names})
    for name in ("device", "inode", "offset", "size", *_HASHED):
        value = getattr(checkpoint, name)
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise TrackerDamaged(f"{name} is {value!r}")
    for name in ("name", "file_id", "head_hash", "edge_hash"):
        if type(getattr(checkpoint, name)) is not str:
            raise TrackerDamaged(f"{name} is {getattr(checkpoint, name)!r}")
    until = checkpoint.attempted_until
    if until is not None and (type(until) is not int or until <= checkpoint.offset):
        raise TrackerDamaged(f"attempted_until is {until!r}")
    hashed_bytes = max(checkpoint.head_bytes, checkpoint.edge_bytes)
    if hashed_bytes > min(checkpoint.offset, max(HEAD_BYTES, EDGE_BYTES)):
        raise TrackerDamaged(f"more was hashed than stands before offset {checkpoint.offset}")
    return checkpoint
