"""What SDKs of many languages and ages have really sent, sent again."""

import json
import re
import socket
from base64 import b64decode
from pathlib import Path

import pytest

from api.ingest.item import Line, decode
from tests.shipper.intake.listening import DEFAULT_KEY, Listening

RECORDINGS = sorted((Path(__file__).parents[2] / "data" / "intake").glob("*.json"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_what_a_real_sdk_has_sent_becomes_lines_that_the_service_takes(path: Path, intake: Listening) -> None:
    recorded = json.loads(path.read_text())
    streams = [b64decode(stream) for stream in recorded["streams"]]
    sent = b"".join(streams)
    pages = {origin.decode() for origin in re.findall(rb"\r\norigin: (\S+)", sent, re.IGNORECASE)}
    intake.start(origins=tuple(pages))
    answers = b"".join(answers_to(stream, intake) for stream in streams)
    assert answers.count(b"HTTP/1.1 200 OK") == len(re.findall(rb"POST \S+ HTTP/1.1\r\n", sent))
    lines = intake.lines()
    assert sorted(line["type"] for line in lines) == sorted(recorded["types"])
    event = next(line["payload"] for line in lines if line["type"] == "event")
    assert event["event_id"].replace("-", "") == recorded["event_id"]
    key = DEFAULT_KEY if path.stem.endswith("tunnel") else recorded["app_key"]
    assert {line["app_key"] for line in lines} == {key}
    decoded = [decode(number, line) for number, line in enumerate(intake.content.splitlines())]
    assert all(isinstance(line, Line) for line in decoded)


def answers_to(stream: bytes, intake: Listening) -> bytes:
    with intake.connect() as client:
        client.sendall(stream)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65536), b""))
