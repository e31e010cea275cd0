"""Secrets where the way through a payload is an unusual one."""

import json
from typing import Any

import msgspec

from errata.scrubbing import scrubbed
from tests.cases import each

SECRET = "hunter2Zs"
END = "-----END PRIVATE KEY-----"


def stored(payload: dict[str, Any], text: bytes | None = None) -> str:
    return scrubbed(text if text is not None else msgspec.json.encode(payload)).decode()


@each("name", ['na"me', "na\\me", "na\nme", "näme", ""])
def test_a_name_that_needs_an_escape_hides_nothing_beside_it(name: str) -> None:
    payload = {name: "x", "extra": {"password": SECRET, "note": "password=" + SECRET}}
    for text in (msgspec.json.encode(payload), json.dumps(payload, indent=1).encode()):
        found = stored(json.loads(text), text)
        assert SECRET not in found and json.loads(found)[name] == "x"


def test_an_end_of_a_key_hides_the_lines_before_it() -> None:
    lines = ["MIIEvQIBADANBg", "kqhkiG9w0BAQEF"]
    frame = {"pre_context": lines, "context_line": END, "post_context": ["x = 1"]}
    payload = {
        "exception": {"values": [{"stacktrace": {"frames": [frame]}}]},
        "extra": {"lines": [*lines, END, "x = 1"]},
    }
    found = stored(payload)
    assert not any(line in found for line in lines) and found.count("x = 1") == 2


@each("number", [30569309025904, 378282246310005, 4111111111111111])
def test_card_numbers_of_any_length_are_filtered_as_numbers(number: int) -> None:
    payload = {"extra": {"n": number, "many": [number]}}
    assert str(number) not in stored(payload)


@each("kept", [None, "", False, 0, "[FILTERED]"])
def test_an_object_under_the_name_of_a_secret_is_filtered_whatever_its_value(kept: Any) -> None:
    payload = {"extra": {"password": {"value": kept, "hint": SECRET}}}
    assert SECRET not in stored(payload)


@each("name", ["password=" + SECRET, "https://ann:" + SECRET + "@shop.example/a"])
def test_a_secret_in_a_name_is_filtered(name: str) -> None:
    for payload in ({"extra": {name: 1}}, {name: 1}, {"tags": [{name: [1]}]}):
        assert SECRET not in stored(payload)
