"""The header X-Errata-Source: which bytes of which file of which host a batch holds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    host: str = ""
    file: str = ""
    byte_from: int = 0
    byte_to: int = 0
    file_bytes: int = 0


def parse(header: str) -> Source:
    """`host=web-1; file=errata-2026-11-21.log; from=0; to=20480; size=90112`; what is wrong is empty."""
    fields: dict[str, str] = {}
    for part in header.split(";"):
        name, _, value = part.partition("=")
        fields[name.strip().lower()] = value.strip()
    return Source(
        fields.get("host", "")[:250],
        fields.get("file", "")[:1000],
        _number(fields.get("from", "")),
        _number(fields.get("to", "")),
        _number(fields.get("size", "")),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
