"""One record of `rejected/`: a line of the log file, and why it was not taken."""

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata_wire.limits import DELIVERY_MAX_BYTES


class RecordUnusable(ValueError):
    """Why a record's line cannot be sent, with its remedy."""


@dataclass(frozen=True)
class Record:
    # Of the record's bytes: what names it inside its file.
    digest: bytes
    fields: Mapping[str, Any]

    @property
    def line_file(self) -> str | None:
        """The file beside it that holds the line, if the line is too long to stand in the record."""
        name = self.fields.get("line_file")
        return name if isinstance(name, str) and Path(name).name == name else None

    def content(self, folder: Path) -> bytes:
        """The line without its newline. Raises RecordUnusable."""
        content = self._content(folder)
        if b"\n" in content or not content.strip():
            raise RecordUnusable("it doesn't contain exactly one line; remove it, or rewrite the line")
        return content

    def _content(self, folder: Path) -> bytes:
        try:
            if isinstance(line := self.fields.get("line"), str):
                return line.encode()
            if isinstance(line := self.fields.get("line_b64"), str):
                return base64.b64decode(line, validate=True)
        except (UnicodeEncodeError, binascii.Error) as error:
            raise RecordUnusable(f"its line can't be read ({error}); remove it") from error
        if self.line_file is None:
            raise RecordUnusable("it contains no line; remove it")
        try:
            return _line_in(folder / self.line_file)
        except OSError as error:
            raise RecordUnusable(f"{self.line_file} can't be read ({error.strerror}); remove it") from error


def records_in(path: Path) -> Iterator[tuple[Record, bytes]]:
    """Each with its bytes, newline included; a line that is no record has no fields."""
    with path.open("rb") as file:
        for line in file:
            yield Record(_digest(line), _fields(line)), line


def packed(fields: Mapping[str, Any]) -> bytes:
    # "replace": the server's message may hold what UTF-8 cannot, the line cannot.
    return json.dumps(fields, ensure_ascii=False).encode(errors="replace") + b"\n"


def text_fields(content: bytes) -> dict[str, str]:
    """The line as its record holds it."""
    try:
        return {"line": content.decode()}
    except UnicodeDecodeError:
        return {"line_b64": base64.b64encode(content).decode()}


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=16).digest()


def _fields(line: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _line_in(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
        content = file.read(DELIVERY_MAX_BYTES + 2)
    # A line longer than the server takes in one request is not even tried.
    if len(content) > DELIVERY_MAX_BYTES + 1:
        raise RecordUnusable(f"its line exceeds {DELIVERY_MAX_BYTES} bytes, the server's limit; shorten it")
    return content.removesuffix(b"\n")
