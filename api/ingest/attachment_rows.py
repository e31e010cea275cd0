"""Rows of errata_raw.attachments: files that SDKs send with an event, such as a screenshot or a log file.

The form is Sentry's (develop.sentry.dev/sdk/data-model/envelope-items/#attachment).
"""

import base64
import codecs
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import occurred_at
from api.ingest.values import NIL, identifier, row_id, text, warehouse_time
from errata.scrubbing import ScrubbingRules, scrubbed, scrubbed_object

TYPE = "attachment"
TABLE = "errata_raw.attachments"
FILENAME_MAX_LENGTH = 255
UNNAMED = "attachment"
MINIDUMP = "event.minidump"

# A file with a zero byte this early is taken for binary, as git does.
HEAD_BYTES = 8 << 10
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Characters of text that are looked into as one: what a secret begins, another line may end.
BLOCK = 8 << 10
# Bytes that are no text are characters that nobody uses meanwhile: JSON takes no halves of characters.
_TO_PRIVATE = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}
_FROM_PRIVATE = {private: byte for byte, private in _TO_PRIVATE.items()}


class _File(msgspec.Struct):
    file: msgspec.Raw


_require_json = msgspec.json.Decoder(msgspec.Raw).decode
_decode_file = msgspec.json.Decoder(_File).decode


def refused(headers: Mapping[str, Any]) -> str:
    """A minidump holds the memory of a process, which nothing can clear of secrets."""
    return "minidump_refused" if headers.get("attachment_type") == MINIDUMP else ""


def cleaned(content: bytes, rules: ScrubbingRules) -> bytes:
    """A text file without secrets, any other file as it is. Raises TooDeep and TooManySuspects."""
    for encoding in _encodings(content):
        content = _cleaned_text(content, encoding, rules)
    return content


def _cleaned_text(content: bytes, encoding: str, rules: ScrubbingRules) -> bytes:
    if content.lstrip()[:1] in (b"{", b"["):
        whole = b'{"file":' + content + b"}"
        try:
            # By itself, too: what only the braces around it complete is none.
            _require_json(content)
            clean_json = scrubbed(whole, rules)
            return content if clean_json == whole else bytes(_decode_file(clean_json).file)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    text = clean = content.decode(encoding, "surrogateescape").translate(_TO_PRIVATE)
    # A secret of several lines that one pass cuts, such as a private key, is whole in the other.
    for first in (BLOCK, BLOCK // 2):
        clean = "".join(scrubbed_object({"file": _blocks(clean, first)}, rules)["file"])
    return content if clean == text else clean.translate(_FROM_PRIVATE).encode(encoding, "surrogateescape")


def attachment_rows(item: Item, received_at: datetime) -> Rows:
    """The file; none where no event is named that it was sent with."""
    event_id, content = identifier(item.headers.get("event_id")), item.content
    if event_id == NIL or not isinstance(content, bytes):
        return {}
    when, _ = occurred_at(None, item.logged_at, received_at)
    filename = _filename(text(item.headers.get("filename"), 4 * FILENAME_MAX_LENGTH))
    row = {
        "project_id": item.project_id,
        "occurred_at": warehouse_time(when),
        "item_id": row_id(event_id, filename, item.content_id.hex),
        "event_id": event_id,
        "filename": filename,
        "content_type": text(item.headers.get("content_type"), 100),
        "attachment_type": text(item.headers.get("attachment_type"), 64),
        "byte_count": len(content),
        "content": base64.b64encode(content).decode(),
        "service": item.service,
    }
    return {TABLE: [row]}


def _encodings(content: bytes) -> tuple[str, ...]:
    """By which a text file is read; none for other files. Text that is no UTF-8 may be such text with a few
    other bytes, or of one byte a character: it is read both ways."""
    if content.startswith(UTF_16):
        try:
            content.decode("utf-16")
        except UnicodeDecodeError:
            return ()
        return ("utf-16",)
    if b"\0" in content[:HEAD_BYTES]:
        return ()
    try:
        content.decode()
    except UnicodeDecodeError:
        return ("utf-8", "latin-1")
    return ("utf-8",)


def _blocks(text: str, first: int) -> list[str]:
    """Its lines in blocks, of which the first has `first` characters at least."""
    blocks, block, size, least = list[str](), list[str](), 0, first
    for line in text.splitlines(keepends=True):
        block.append(line)
        size += len(line)
        if size >= least:
            blocks.append("".join(block))
            block, size, least = [], 0, BLOCK
    return [*blocks, "".join(block)] if block else blocks


def _filename(sent: str) -> str:
    """Without its folders, and without characters that no file name has."""
    name = sent.replace("\\", "/").rpartition("/")[2]
    printable = "".join(one for one in name if one.isprintable()).strip()
    return printable[:FILENAME_MAX_LENGTH] or UNNAMED


KINDS = (ItemKind(TYPE, attachment_rows, refused=refused, opened=cleaned),)
