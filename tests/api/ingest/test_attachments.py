"""Files that were sent with events: within bounds, text without secrets, other bytes as they are."""

import base64
import json
import random
import re
from typing import Any
from uuid import uuid4

from api.ingest.attachment_rows import BLOCK, cleaned
from errata.scrubbing import RULES
from errata.warehouse.client import Row
from tests.api.ingest.conftest import IngestNode
from tests.cases import each
from tests.secret_catalog import SECRETS

EVENT = uuid4().hex
IMAGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR password=hunter2-hunter2"


def line(content: bytes, **headers: Any) -> bytes:
    named = {"event_id": EVENT, "filename": "notes.txt", "content_type": "text/plain", **headers}
    sent = {"type": "attachment", "headers": named, "payload_b64": base64.b64encode(content).decode()}
    return json.dumps(sent).encode() + b"\n"


def stored(node: IngestNode) -> list[Row]:
    rows = node.admin.rows("select * from errata_raw.attachments order by filename, received_at")
    return [{**row, "content": base64.b64decode(row["content"])} for row in rows]


def test_a_file_is_stored_with_the_event_that_it_was_sent_with(node: IngestNode) -> None:
    for _ in range(2):
        node.deliver(line(b"two\nlines\n", attachment_type="event.attachment") + line(b"", filename="empty"))
    rows = stored(node)
    assert [(row["filename"], row["content"], row["byte_count"]) for row in rows] == [
        *(2 * [("empty", b"", 0)]),
        *(2 * [("notes.txt", b"two\nlines\n", 10)]),
    ]
    assert len({row["item_id"] for row in rows}) == 2
    assert {row["event_id"].hex for row in rows} == {EVENT}
    assert (rows[2]["content_type"], rows[2]["attachment_type"]) == ("text/plain", "event.attachment")


def test_the_same_file_of_two_events_is_two_files(node: IngestNode) -> None:
    node.deliver(line(b"same") + line(b"same", event_id=uuid4().hex) + line(b"same", filename="b"))
    assert len({row["item_id"] for row in stored(node)}) == 3


def test_a_name_has_no_folders_and_no_control_characters(node: IngestNode) -> None:
    for sent in (
        "../../etc/passwd",
        "C:\\Users\\ann\\a.txt",
        "a\r\nSet-Cookie: x.txt",
        "\u202e",
        7,
        "x" * 900,
    ):
        node.deliver(line(b"a", filename=sent, event_id=uuid4().hex))
    names = {row["filename"] for row in stored(node)}
    assert names == {"passwd", "a.txt", "aSet-Cookie: x.txt", "attachment", "x" * 255}


def test_a_file_of_no_event_and_a_minidump_are_counted_and_not_stored(node: IngestNode) -> None:
    dump = line(b"MDMP", attachment_type="event.minidump", filename="minidump.dmp")
    assert node.deliver(dump + line(b"a", event_id=None))[1]["rejected"] == []
    assert stored(node) == []
    counted = node.admin.rows(
        "select item_type, outcome, item_count from errata_raw.outcomes order by outcome"
    )
    assert [tuple(row.values()) for row in counted] == [
        ("attachment", "minidump_refused", 1),
        ("attachment", "nothing_to_store", 1),
    ]


def test_text_is_stored_without_secrets_and_other_bytes_as_they_are(node: IngestNode) -> None:
    node.deliver(line(b"token=hunter2-hunter2 of s3cr3t", filename="a") + line(IMAGE, filename="b"))
    text, image = stored(node)
    assert b"hunter2" not in text["content"] and text["byte_count"] == len(text["content"])
    assert image["content"] == IMAGE


ONE_BYTE = 7


def is_latin(text: str) -> bool:
    return all(ord(one) < 0x100 for one in text)


def forms(lines: list[str]) -> list[bytes]:
    """A text file as programs of all systems write it, and as JSON."""
    text = "\n".join(lines)
    return [
        text.encode(),
        re.sub("(?<!\r)\n", "\r\n", text).encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("utf-16"),
        # A log that was cut within a character.
        text.encode() + "ä".encode()[:1],
        json.dumps({"state": {"lines": lines}}, indent=1).encode(),
        json.dumps(lines).encode(),
        # A letter of one byte is no UTF-8.
        text.encode("latin-1", "ignore") + "ä".encode("latin-1"),
    ]


def test_each_secret_is_hidden_anywhere_in_each_form_of_a_text_file() -> None:
    chance, left = random.Random(7), set[tuple[str, int]]()
    for secret in SECRETS:
        # At any place of the blocks that are looked into, their ends included.
        line_count = 2 * BLOCK // 30 if "\n" in secret.text else 20
        lines = [f"{number} GET /orders took {chance.randrange(900)} ms" for number in range(line_count)]
        lines.insert(chance.randrange(line_count), secret.text)
        for number, form in enumerate(forms(lines)):
            clean = cleaned(form, RULES)
            if number == ONE_BYTE and not is_latin(secret.text):
                continue
            is_wide = clean.startswith((b"\xff\xfe", b"\xfe\xff"))
            plain = clean.decode("utf-16" if is_wide else "latin-1")
            if any(part in plain for part in secret.gone):
                left.add((secret.id, number))
            # What looks like a private key may hide all that follows.
            assert "/orders took" in plain or secret.id.startswith("private key") or "\n" in secret.text
    assert not left


def test_a_private_key_of_many_lines_is_hidden_as_a_whole() -> None:
    body = ["MIIEpAIBAAKCAQEA" * 4] * 50
    key = ["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----"]
    for line_count in range(0, BLOCK // 8, 37):
        lines = [*["before"] * line_count, *key, *["after"] * line_count]
        assert b"MIIE" not in cleaned("\n".join(lines).encode(), RULES), line_count


def test_what_is_no_text_stays_in_a_text_file() -> None:
    sent = b"caf\xe9\n\xff\xfe password=hunter2-hunter2\nend \xe9"
    assert cleaned(sent, RULES) == sent.replace(b"hunter2-hunter2", b"[FILTERED]")


@each(
    "sent",
    [
        b'{"a": 1}\n',
        b" [1, 2]\r\n",
        # Valid only within other braces.
        b'{"a": 1}, "b": {"c": 2}',
        b'{"a": 1}\n{"a": 2}\n',
        b'{"a": 1',
        b"",
        b"\xef\xbb\xbf{}",
    ],
    ids=repr,
)
def test_a_file_without_secrets_keeps_its_bytes(sent: bytes) -> None:
    assert cleaned(sent, RULES) == sent


def test_what_only_looks_like_json_is_cleaned_as_a_whole() -> None:
    clean = cleaned(b'{"a": 1}, "password": "hunter2-hunter2"', RULES)
    assert b"hunter2" not in clean and clean.startswith(b'{"a": 1}, "password"')
