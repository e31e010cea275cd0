"""tracker.json: what has been delivered, readable by people, replaced as a whole."""

import itertools
import json
import logging
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from errata_shipper.checkpoint import EDGE_BYTES, HEAD_BYTES, Checkpoint
from errata_shipper.durable_file import replace_durably
from errata_shipper.report import Report, report_of

# 1 knew neither the birth, the id nor the size of a file; it is read as well.
VERSION = 2
TRACKER_NAME = "tracker.json"

log = logging.getLogger(__name__)


class TrackerDamaged(ValueError):
    pass


class TrackerTooNew(TrackerDamaged):
    def __init__(self, version: int) -> None:
        self.version = version
        super().__init__(f"version {version}; this shipper supports up to {VERSION}")


class Tracker:
    def __init__(self, storage_path: Path) -> None:
        self.path = storage_path / TRACKER_NAME
        self.checkpoints: dict[tuple[int, int], Checkpoint] = {}
        self.last_delivery: dict[str, Any] | None = None
        self.last_error: dict[str, Any] | None = None
        # What the delivery ledger has yet to be told; kept until the server has said that it knows.
        self.reports: list[Report] = []
        # Whether there is something to save.
        self.is_changed = False
        self._is_written = False
        # As they were read, by inode: a device may have another number by now.
        self._read_keys: dict[int, list[tuple[int, int]]] = {}
        self._texts: dict[tuple[int, int], tuple[Checkpoint, str]] = {}

    def load(self, now: datetime) -> None:
        """Read the file; one that cannot be read is set aside, so that everything is delivered again."""
        again = "all log files are delivered again; the server counts each event once"
        try:
            self.read()
        except TrackerTooNew as error:
            # What a later version means by its fields cannot be known; guessing could lose lines.
            aside = self._set_aside(f"version-{error.version}", now)
            log.warning(
                "%s was written by a newer shipper (%s) and renamed to %s; %s. To continue where it left "
                "off, stop this shipper, install the newer one, and rename the file back",
                self.path,
                error,
                aside.name,
                again,
            )
        except TrackerDamaged as error:
            aside = self._set_aside("damaged", now)
            log.warning("%s is damaged (%s) and was renamed to %s; %s", self.path, error, aside.name, again)

    def read(self) -> None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        try:
            document = json.loads(content)
            version = document["version"]
            if type(version) is int and version > VERSION:
                raise TrackerTooNew(version)
            if type(version) is not int or version < 1:
                raise TrackerDamaged(f"version {version!r}")
            checkpoints = [_checkpoint(entry) for entry in document["files"]]
            reports = [report_of(entry) for entry in document.get("reports", [])]
            self.last_delivery = _object_or_none(document.get("last_delivery"))
            self.last_error = _object_or_none(document.get("last_error"))
        except TrackerDamaged:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise TrackerDamaged(str(error) or type(error).__name__) from error
        self.checkpoints = {checkpoint.key: checkpoint for checkpoint in checkpoints}
        for device, inode in self.checkpoints:
            self._read_keys.setdefault(inode, []).append((device, inode))
        self.reports += reports
        self._is_written = True

    def find(self, present: Checkpoint) -> Checkpoint | None:
        """What was left of the file that `present` names; the caller checks that its content is the same."""
        exact = self.checkpoints.get(present.key)
        if exact is not None:
            return exact if exact.is_of_inode(present) else None
        keys = self._read_keys.get(present.inode, ())
        candidates = [self.checkpoints[key] for key in keys if key in self.checkpoints]
        return next((known for known in candidates if known.is_of_inode(present)), None)

    def keep(self, checkpoint: Checkpoint) -> None:
        self.checkpoints[checkpoint.key] = checkpoint
        self.is_changed = True

    def drop(self, key: tuple[int, int]) -> Checkpoint | None:
        self.is_changed |= key in self.checkpoints
        return self.checkpoints.pop(key, None)

    def was_removed(self) -> bool:
        return self._is_written and not self.path.exists() and self.path.parent.exists()

    def leave_folder(self) -> None:
        """Go on in a folder without a tracker, which nobody removed."""
        self._is_written = False

    def forget_everything(self) -> None:
        self.checkpoints.clear()
        self._is_written = False

    def report(self, report: Report) -> None:
        self.is_changed = True
        joined = self.reports[-1].joined(report) if self.reports else None
        if joined is None:
            self.reports.append(report)
        else:
            self.reports[-1] = joined

    def note_error(self, message: str, now: datetime) -> None:
        """Keeps the moment since which every attempt has failed."""
        at = moment(now)
        before = self.last_error
        is_going_on = before is not None and before.get("resolved_at") is None
        since = before.get("since", at) if before is not None and is_going_on else at
        self.last_error = {"at": at, "since": since, "message": message, "resolved_at": None}

    def resolve_error(self, now: datetime) -> None:
        if self.last_error is not None and self.last_error.get("resolved_at") is None:
            self.last_error = {**self.last_error, "resolved_at": moment(now)}

    def postpone_report(self) -> None:
        """The oldest one, behind the others: these may be taken."""
        self.reports.append(self.reports.pop(0))

    def drop_report(self) -> None:
        """The oldest one: the server knows it."""
        del self.reports[0]
        self.is_changed = True

    def save(self, now: datetime) -> None:
        """With a line a file: readable, and quick to write beside thousands of old files."""
        entries = ",\n    ".join(sorted(self._entries()))
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
        self.is_changed = False

    def _entries(self) -> Iterator[str]:
        """The text of each checkpoint; of thousands all but a few are those of the last time."""
        texts, self._texts = self._texts, {}
        for key, checkpoint in self.checkpoints.items():
            of, text = texts.get(key, (None, ""))
            if of is not checkpoint:
                text = _text_of(checkpoint)
            self._texts[key] = checkpoint, text
            yield text

    def _set_aside(self, why: str, now: datetime) -> Path:
        stem = f"tracker.{why}-{now:%Y%m%dT%H%M%S}"
        aside = self.path.with_name(f"{stem}.json")
        # The wall clock may have been set back.
        for number in itertools.count(2):
            if not aside.exists():
                break
            aside = self.path.with_name(f"{stem}-{number}.json")
        self.path.replace(aside)
        return aside


def moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _object_or_none(value: object) -> dict[str, Any] | None:
    if value is not None and not isinstance(value, dict):
        raise TrackerDamaged(f"{value!r} is not an object")
    return value


_FIRST_FOR_PEOPLE = ("name", "offset", "size", "moved_at")


def _text_of(checkpoint: Checkpoint) -> str:
    # Not asdict, which copies deeply.
    facts = vars(checkpoint)
    return json.dumps({**dict.fromkeys(_FIRST_FOR_PEOPLE), **facts})


_HASHED = ("head_bytes", "edge_bytes")
# What the kernel takes as a file offset.
_LARGEST = (1 << 63) - 1


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    names = {field.name for field in fields(Checkpoint)}
    checkpoint = Checkpoint(**{name: value for name, value in entry.items() if name in names})
    for name in ("device", "inode", "offset", "size", "birth_ns", *_HASHED):
        value = getattr(checkpoint, name)
        if value is None and name == "birth_ns":
            continue
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise TrackerDamaged(f"{name} is {value!r}")
    for name in ("name", "file_id", "moved_at", "host", "head_hash", "edge_hash"):
        if type(getattr(checkpoint, name)) is not str:
            raise TrackerDamaged(f"{name} is {getattr(checkpoint, name)!r}")
    until = checkpoint.attempted_until
    if until is not None and (type(until) is not int or until <= checkpoint.offset):
        raise TrackerDamaged(f"attempted_until is {until!r}")
    hashed_bytes = max(checkpoint.head_bytes, checkpoint.edge_bytes)
    if hashed_bytes > min(checkpoint.offset, max(HEAD_BYTES, EDGE_BYTES)):
        raise TrackerDamaged(f"more bytes were hashed than precede offset {checkpoint.offset}")
    return checkpoint
