import json

import pytest

from dashboards.event.event import event
from dashboards.sharing.addresses import masked_text
from dashboards.sharing.redaction import redacted
from tests.cases import each
from tests.dashboards.events import all_captured, misshapen

FRAME = {
    "function": "pay",
    "vars": {"card": "secret"},
    "lineno": 3,
    "pre_context": ["# secret"],
    "context_line": "login(code='secret')",
    "post_context": ["secret()"],
}
PAYLOAD = {
    "message": "ada@shop.example failed from 10.1.2.3 at 12:30:45",
    "user": {"id": "7", "email": "ada@shop.example"},
    "tags": [["user.email", "ada@shop.example"], ["plan", "gold"]],
    "extra": {"cart": ["secret"]},
    "contexts": {"runtime": {"name": "CPython"}, "order": {"iban": "secret"}},
    "request": {
        "url": "https://x/a",
        "data": "secret",
        "cookies": {"s": "secret"},
        "env": {"A": "2001:db8::1"},
    },
    "breadcrumbs": {"values": [{"message": "to bob@x.example", "data": {"url": "/cart", "body": "secret"}}]},
    "exception": {
        "values": [
            {
                "type": "E",
                "stacktrace": {"frames": [FRAME]},
            }
        ]
    },
}


def test_without_a_choice_nothing_of_persons_and_no_values_are_left() -> None:
    text = json.dumps(redacted(PAYLOAD, with_user=False, with_values=False))
    for gone in ("ada@", "bob@", "10.1.2.3", "2001:db8", "secret", "iban", "user.email", "gold"):
        assert gone not in text, gone
    for kept in ("CPython", "pay", "/cart", "12:30:45", "https://x/a"):
        assert kept in text, kept


def test_each_choice_brings_back_its_own_part_only() -> None:
    user = json.dumps(redacted(PAYLOAD, with_user=True, with_values=False))
    assert "ada@shop.example" in user and "10.1.2.3" in user and "secret" not in user
    values = json.dumps(redacted(PAYLOAD, with_user=False, with_values=True))
    assert "secret" in values and "ada@" not in values and "2001:db8" not in values
    assert redacted(PAYLOAD, with_user=True, with_values=True) == PAYLOAD


@each(
    ("text", "expected"),
    [
        ("from 192.168.0.17:8080", "from [IP]:8080"),
        ("Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0", "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0"),
        ("120.0.0.0", "120.0.0.0"),
        ("Chrome/120.0.0.0 from 10.0.0.1, 120.0.0.10", "Chrome/120.0.0.0 from [IP], [IP]"),
        ("https://10.0.0.7/a and proxy/127.0.0.1", "https://[IP]/a and proxy/[IP]"),
        ("version 1.2.3.4.5 of 10.20.30", "version 1.2.3.4.5 of 10.20.30"),
        ("at fe80::1ff:fe23:4567:890a now", "at [IP] now"),
        ("Module::Class at 12:30:45", "Module::Class at 12:30:45"),
        ("a.b+c@mail.shop.example, x@y", "[email], x@y"),
        # Another address, or an escape, within one ends nothing of it.
        ("ann+203.0.113.7.x@shop.example", "[email]"),
        ("from ann@shop.exampl%65 on", "from [email] on"),
        ("shop@2.0, shop@2.10.0-rc.1, git@v1", "shop@2.0, shop@2.10.0-rc.1, git@v1"),
    ],
)
def test_addresses_are_masked_and_what_only_looks_like_one_is_not(text: str, expected: str) -> None:
    assert masked_text(text) == expected


@pytest.mark.slow
def test_an_event_of_any_shape_makes_a_page_when_redacted_too() -> None:
    for number, payload in enumerate(all_captured()[::40]):
        for spoiled in list(misshapen(payload))[number % 5 :: 5]:
            event(redacted(spoiled, with_user=False, with_values=False))
    assert redacted(None, with_user=False, with_values=False) == {}


def test_of_captured_events_no_address_survives() -> None:
    for payload in all_captured()[::7]:
        text = json.dumps(redacted(payload, with_user=False, with_values=False))
        user = payload.get("user") or {}
        for name in ("email", "ip_address"):
            assert not user.get(name) or str(user[name]) not in text
