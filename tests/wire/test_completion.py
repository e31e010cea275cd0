from typing import Any

from errata_wire.completion import completed_headers, completed_user
from errata_wire.envelope import Item

from tests.cases import each

ADDRESS = "198.51.100.4"
TRACE = {"trace_id": "t", "release": "shop@1"}


@each(
    ("item", "envelope", "expected"),
    [
        (Item("session", {"type": "session", "length": 2}, b"{}"), {"trace": TRACE}, {"trace": TRACE}),
        (Item("event", {}, b"{}"), {"trace": TRACE, "event_id": "1"}, {}),
        (
            Item("replay_recording", {"a": 1}, b""),
            {"trace": TRACE, "event_id": "1"},
            {"a": 1, "trace": TRACE, "event_id": "1"},
        ),
        (Item("replay_recording", {}, b""), {"trace": {}, "event_id": ""}, {}),
    ],
)
def test_a_line_has_the_headers_that_only_the_envelope_has(
    item: Item, envelope: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert completed_headers(item, envelope) == expected


@each(
    ("user", "infer_ip", "client_address", "expected"),
    [
        ({"ip_address": "{{auto}}"}, "never", ADDRESS, {"ip_address": ADDRESS}),
        ({"ip_address": "{{auto}}"}, "never", "", {}),
        ({"ip_address": "203.0.113.9"}, "auto", ADDRESS, None),
        ({}, "auto", ADDRESS, {"ip_address": ADDRESS}),
        ({}, "auto", "", None),
        ({}, "never", ADDRESS, None),
    ],
)
def test_the_address_of_a_named_user_is_the_senders(
    user: dict[str, str], infer_ip: str, client_address: str, expected: dict[str, str] | None
) -> None:
    payload = {"user": {"id": "7", **user}, "sdk": {"settings": {"infer_ip": infer_ip}}}
    found = completed_user(payload, client_address)
    assert found == (None if expected is None else {"id": "7", **expected})


@each("user", [None, {}, "7", ["7"]])
def test_a_user_who_is_not_named_gets_no_address(user: object) -> None:
    assert completed_user({"user": user, "sdk": {"settings": {"infer_ip": "auto"}}}, ADDRESS) is None
    assert completed_user({}, ADDRESS) is None
