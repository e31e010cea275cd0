"""What a delivery tells of its sender: its host, the file and byte range, and the shipper's version."""

import re
from dataclasses import dataclass

from errata.scrubbing import without_secrets

SHIPPER = re.compile(r"errata-shipper/([0-9A-Za-z.+-]{1,40})")
FILE_ID = re.compile(r"[0-9a-f]{16}")
ENDS = ("removed", "replaced")
# The largest file of the common file systems; sums of a million such numbers still fit their columns.
MOST_BYTES = 1 << 44
MOST_LINES = 1 << 31


@dataclass(frozen=True, slots=True)
class Source:
    host: str = ""
    file: str = ""
    file_id: str = ""
    byte_from: int = 0
    byte_to: int = 0
    file_bytes: int = 0
    set_aside_count: int = 0
    file_end: str = ""

    @property
    def is_told(self) -> bool:
        return bool(self.host and self.file)


def parse(header: str) -> Source:
    """The source in `host=web-1; file=errata-2026-11-21.log; id=…; from=0; to=20480; size=90112; set_aside=2;
    end=removed`.

    Invalid values are empty: an unreadable header never costs the lines sent with it.
    """
    fields: dict[str, str] = {}
    for part in _in_utf8(header).split(";"):
        name, _, value = part.partition("=")
        fields[name.strip().lower()] = value.strip()
    byte_from = _number(fields.get("from", ""), MOST_BYTES)
    byte_to = _number(fields.get("to", ""), MOST_BYTES)
    is_range = byte_from <= byte_to
    file_id, end = fields.get("id", "").lower(), fields.get("end", "").lower()
    return Source(
        host=without_secrets(fields.get("host", ""))[:250],
        file=without_secrets(fields.get("file", ""))[:1000],
        file_id=file_id if FILE_ID.fullmatch(file_id) else "",
        byte_from=byte_from if is_range else 0,
        byte_to=byte_to if is_range else 0,
        file_bytes=_number(fields.get("size", ""), MOST_BYTES),
        set_aside_count=_number(fields.get("set_aside", ""), MOST_LINES),
        file_end=end if end in ENDS else "",
    )


def shipper_version(user_agent: str) -> str:
    """Empty: another client."""
    found = SHIPPER.match(user_agent)
    return found[1] if found else ""


def _in_utf8(header: str) -> str:
    """The header decoded again: headers are read as Latin-1, whatever was sent."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _number(text: str, most: int) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    return number if number <= most else 0
