"""No address and no name of an event comes through a link that leaves out user data and values."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path as File
from typing import Any

import pytest

from dashboards.sharing.addresses import UNREAD, masked_text
from dashboards.sharing.allowed import ALLOWED, TEXT
from dashboards.sharing.recording import shared_recording
from dashboards.sharing.redaction import redacted
from errata.deflated import deflated
from errata.state.share_links import Shared
from tests.address_writings import addresses_in, writings
from tests.captured_replays import captured_replays
from tests.cases import each
from tests.dashboards.sharing.pages import shared_page
from tests.sdk_events import NAMES, Event, Path, leaves, planted, sdk_events

ROOT = File(__file__).parents[3]
WAYS = list(writings(0))
# A text around an address, as values of events have.
AROUND = ("{}", "seen {} today", "https://shop.example/a?mail={}&page=2", '{{"to": "{}"}}', "a[title='{}']")
BESIDE = (
    *(
        "",
        " ",
        "\n",
        "\\n",
        "=",
        "&",
        "/",
        ",",
        ";",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        '"',
        "'",
        "|",
        "?",
        "#",
    ),
    *(
        "%",
        "%20",
        "%25",
        "%3D",
        "&amp;",
        "&#32;",
        "\\u0020",
        "\\",
        "\u200b",
        "_",
        "-",
        ".",
        "..",
        "*",
        "$",
        "~",
    ),
)
EVERY_KEY = "every key"
OWN = "Grace Hopperson"


def every_key() -> Event:
    """An event with each key that a link shows."""

    def of(section: str) -> Any:
        found = {name: of(form) if form in ALLOWED else "1" for name, form in ALLOWED[section].items()}
        return [found] if section in ("exception", "thread", "breadcrumb", "frame") else found

    event: Event = of("event")
    return event


def events(name: str) -> list[Event]:
    return [every_key()] if name == EVERY_KEY else sdk_events(name)


def with_addresses(event: Event, shift: int) -> tuple[Event, list[str]]:
    """The event with another writing in each text and name, and the texts planted."""
    places: dict[Path, str] = {}
    for number, (path, value) in enumerate(leaves(event)):
        way = WAYS[(number + shift) % len(WAYS)]
        around = AROUND[(number + shift) % len(AROUND)]
        if isinstance(value, str) or shift % 3 == 0:
            places[path] = around.format(writings(number)[way])
    return planted(event, places), list(places.values())


def assert_hidden(shown: str, sent: list[str], name: str) -> None:
    assert not (found := addresses_in(shown)), (name, [one for one in sent if addresses_in(one) & found][:3])


@pytest.mark.slow
@each("name", [*NAMES, EVERY_KEY])
def test_no_address_of_an_event_is_left_however_it_is_written(name: str) -> None:
    for event in events(name):
        for shift in range(0, len(WAYS), 13):
            payload, sent = with_addresses(event, shift)
            assert_hidden(json.dumps(redacted(payload, with_user=False, with_values=False)), sent, name)


@each("way", WAYS)
def test_no_address_is_on_the_page_whatever_is_chosen(way: str) -> None:
    """With values all of the event is shown, but for the user and addresses."""
    text = writings(7)[way]
    assert addresses_in(text), "the reader finds it"
    event = planted(every_key(), {path: text for path, _ in leaves(every_key())})
    event |= {
        "extra": {"a": [text, {text: text}]},
        "user": {"id": text},
        "tags": [["user.x", text], ["y", text]],
    }
    for with_values in (False, True):
        page = shared_page(event, text, with_values=with_values)
        assert_hidden(page, [text], way)
        assert "[email]" in page or "[IP]" in page
    assert addresses_in(shared_page(event, text, with_user=True))


@pytest.mark.slow
@each("name", [*NAMES, EVERY_KEY])
def test_no_page_of_an_sdk_shows_an_address(name: str) -> None:
    for event in events(name):
        for shift in range(len(WAYS)):
            payload, sent = with_addresses(event, shift)
            assert_hidden(shared_page(payload, sent[0]), sent, name)


@pytest.mark.slow
@each("name", [*NAMES, EVERY_KEY])
def test_no_page_shows_an_address_in_an_event_that_is_else_as_it_was_sent(name: str) -> None:
    for event in events(name):
        for number, (path, _) in enumerate(leaves(event)):
            text = AROUND[number % len(AROUND)].format(writings(number)[WAYS[number % len(WAYS)]])
            page = shared_page(planted(event, {path: text}), with_values=number % 2 == 0)
            assert_hidden(page, [text], f"{name} {path}")


def with_names(value: Any, path: Path = ()) -> Any:
    """The same with a name under an unknown key of every object, and in every leaf."""
    if isinstance(value, dict):
        named = {key: with_names(item, (*path, key)) for key, item in value.items()}
        return {**named, "x_own": f"{OWN} x_own", OWN: 1}
    if isinstance(value, list):
        return [with_names(item, path) for item in value]
    return f"{OWN} {'/'.join(map(str, path))}"


def free_texts(section: str = "event", path: str = "") -> Iterator[str]:
    """Paths of the keys that hold free text; a list adds nothing to a path."""
    for key, form in ALLOWED[section].items():
        if form in ALLOWED:
            yield from free_texts(form, f"{path}{key}/")
        elif form in (TEXT, "name", "query"):
            yield f"{path}{key}"


@each("name", [*NAMES, EVERY_KEY])
def test_a_name_shows_under_the_keys_of_the_table_alone(name: str) -> None:
    for event in events(name):
        shown = redacted(with_names(event), with_user=False, with_values=False)
        texts = [value for _, value in leaves(shown) if OWN in str(value)]
        paths = {text.removeprefix(f"{OWN} ").replace("/values/", "/") for text in texts}
        assert paths and {path.lower() for path in paths} <= set(free_texts())
        assert OWN not in {key for path, _ in leaves(shown) for key in path}


@pytest.mark.parametrize(
    "own",
    [
        {"user": {"id": OWN, "username": OWN, "name": OWN, "geo": {"city": OWN}, "data": {"x": OWN}}},
        {"request": {"url": "/a", "headers": [["X-User-Name", OWN], ["Remote-User", OWN]]}},
        {"request": {"data": {"name": OWN}, "cookies": {"name": OWN}, "env": {"REMOTE_USER": OWN}}},
        {"contexts": {"response": {"data": {"name": OWN}, "headers": {"X-User": OWN}, "cookies": OWN}}},
        {"contexts": {"trace": {"trace_id": "a", "data": {"user.name": OWN}, "description": OWN}}},
        {"contexts": {"device": {"name": f"{OWN}'s iPhone", "model": f"{OWN}'s iPhone"}}},
        {"contexts": {"order": {"name": OWN}, "flags": {"values": [{"flag": OWN, "result": True}]}}},
        {"contexts": {"state": {"state": {"value": OWN}}, "profile": OWN, "os": OWN}},
        {"spans": [{"description": OWN, "data": {"user.name": OWN}, "tags": {"name": OWN}}]},
        {"extra": {"name": OWN}, "tags": {"customer": OWN, "user.name": OWN, "user": OWN}},
        {"tags": [["customer", OWN], ["os", {"name": OWN}]], "modules": {OWN: "1", "django": OWN}},
        {"breadcrumbs": [{"data": {"arguments": [OWN], "body": OWN, "__span": OWN}, "user": OWN}]},
        {"exception": [{"mechanism": {"data": {"name": OWN}, "meta": {"x": OWN}, "help_link": OWN}}]},
        {"exception": [{"stacktrace": {"frames": [{"vars": {"x": OWN}, "context_line": OWN, "data": OWN}]}}]},
        {"logentry": {"message": "failed for %s", "params": [OWN]}, "fingerprint": [OWN], "dist": OWN},
        {
            "server_name": OWN,
            "sdk": {"settings": {"x": OWN}},
            "_meta": {"user": OWN},
            "debug_meta": {"x": OWN},
        },
        {
            "unknown": OWN,
            "threads": {"values": [{"held_locks": {"x": OWN}, "stacktrace": {"registers": OWN}}]},
        },
    ],
    ids=str,
)
def test_a_name_under_a_key_of_the_application_is_not_on_the_page(own: Event) -> None:
    page = shared_page({"transaction": "it failed", "platform": "python", **own})
    assert "Hopperson" not in page and "it failed" in page


def test_no_address_beside_the_pages_of_a_replay_is_left() -> None:
    replay = max(captured_replays(datetime.now(UTC)), key=lambda one: len(one.events))
    beside = [event for event in replay.events if event["type"] not in range(4)]
    for with_values in (False, True):
        for shift in range(0, len(WAYS), 8):
            for event in beside[:20]:
                kind, timestamp = event["type"], event["timestamp"]
                payload, sent = with_addresses(event, shift)
                known = {"type": kind, "timestamp": timestamp}
                text = shown_segment([{**payload, **known}], with_values=with_values)
                assert_hidden(text, sent, str(event))
                for name in ("tag", "category", "op"):
                    text = shown_segment([retold({**payload, **known}, event, name)], with_values=with_values)
                    assert_hidden(text, sent, str(event))


def retold(payload: Event, event: Event, name: str) -> Event:
    """With the words of the SDK by which an event is told, so that what else it says is looked at."""
    places = {path: value for path, value in leaves(event) if path[-1] in ("tag", name)}
    retold_event: Event = planted(payload, places)
    return retold_event


def test_of_a_replay_only_known_keys_of_clicks_and_pages_are_sent() -> None:
    replay = max(captured_replays(datetime.now(UTC)), key=lambda one: len(one.events))
    named = [{**with_names(event), "type": event["type"]} for event in replay.events if event["type"] > 3]
    told = [retold(one, event, "category") for one, event in zip(named, replay.events, strict=False)]
    assert OWN not in shown_segment([{**one, "type": 6} for one in told])
    pages = [event for event in replay.events if event["type"] <= 3]
    with_own = [{**one, "x_own": OWN, "data": {**one["data"], "x_own": OWN}} for one in pages]
    assert OWN not in shown_segment(with_own)
    assert json.loads(shown_segment(with_own)) == pages


def shown_segment(events: list[Event], *, with_values: bool = False) -> str:
    recorded = deflated([json.dumps(events).encode()])
    return shared_recording(recorded, Shared(with_values=with_values)).text()


def test_a_text_that_decodes_without_end_is_not_shown() -> None:
    text = "ada%40shop.example"
    for _ in range(8):
        assert masked_text(text) == "[email]"
        text = text.replace("%", "%25")
    assert masked_text(text.replace("%", "%25")) == UNREAD


@pytest.mark.slow
@each("way", WAYS)
def test_an_address_is_found_whatever_stands_beside_it(way: str) -> None:
    text = writings(7)[way]
    for before in BESIDE:
        for after in BESIDE:
            assert not addresses_in(masked_text(before + text + after)), (before, text, after)


def test_the_documents_list_the_keys_of_the_table() -> None:
    text = (ROOT / "docs" / "sharing.md").read_text().partition("\n## Keys\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^- \*\*(.+?):\*\*(.*(?:\n  .*)*)", text, re.M)
    documented = {section: set(re.findall(r"`([^`]+)`", keys)) for section, keys in listed}
    assert documented == {section: set(keys) for section, keys in ALLOWED.items()}
