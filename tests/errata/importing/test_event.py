"""An event told by Sentry's API groups as the event that an SDK sent."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given, settings, strategies

from errata.grouping import variant_of
from errata.importing.event import payload_of
from tests.captures import payloads
from tests.errata.grouping.java_stacks import events_of_stacks
from tests.sentry_form import documented

FILES = (
    "python_errors",
    "javascript_errors",
    "browser_error_events",
    "framework_errors",
    "engine_errors",
    "native_crashes",
)


def recorded() -> Iterator[dict[str, Any]]:
    for name in FILES:
        yield from payloads(name)


def grouped_differently(sent: Iterable[dict[str, Any]]) -> tuple[list[str], int]:
    """Titles of events that are another variant by way of the API; and how many events there were."""
    titles, count = list[str](), 0
    for payload in sent:
        direct, imported = variant_of(payload), variant_of(payload_of(documented(payload)))
        if (imported.variant_hash, imported.title) != (direct.variant_hash, direct.title):
            titles.append(direct.title)
        count += 1
    return titles, count


def test_every_recorded_event_is_the_same_variant_by_way_of_the_api() -> None:
    assert grouped_differently(recorded()) == ([], 773)


def test_every_recorded_java_stack_is_the_same_variant_by_way_of_the_api() -> None:
    assert grouped_differently(events_of_stacks()) == ([], 1385)


def test_fields_are_those_that_the_sdk_sent() -> None:
    sent = next(payloads("python_errors"))
    told = payload_of(documented(sent))
    for name in ("event_id", "timestamp", "platform", "release", "environment", "server_name", "transaction"):
        assert told[name] == sent[name]
    assert told["level"] == sent["level"]
    assert told["tags"] == {key: str(value) for key, value in dict(sent["tags"]).items()}
    assert told["user"] == sent["user"]
    assert told["modules"] == sent["modules"]
    assert told["extra"].keys() == sent["extra"].keys()
    assert len(told["breadcrumbs"]["values"]) == len(sent["breadcrumbs"]["values"])
    frame, original = (each["exception"]["values"][-1]["stacktrace"]["frames"][-1] for each in (told, sent))
    assert {name: original[name] for name in frame} == frame


def test_a_message_keeps_its_template_and_its_values() -> None:
    sent = {"logentry": {"message": "user %s left", "params": ["ada"]}, "level": "warning", "logger": "shop"}
    told = payload_of(documented(sent))
    assert told["logentry"] == {
        "message": "user %s left",
        "formatted": "user ada left",
        "params": ["ada"],
    }
    assert variant_of(told).variant_hash == variant_of({**sent, "platform": "other"}).variant_hash


def test_an_event_without_entries_has_the_message_it_is_searched_by() -> None:
    assert payload_of({**documented({}), "message": "", "title": "Out of disk"})["message"] == "Out of disk"


# Words that the conversion looks for, at any depth and with any value.
NAMES = [
    *("eventID", "entries", "type", "data", "values", "frames", "stacktrace", "context", "lineNo", "tags"),
    *("key", "value", "user", "contexts", "release", "version", "sdk", "mechanism", "images", "message"),
    *("exception", "threads", "request", "breadcrumbs", "debugmeta"),
]
ANYTHING = strategies.recursive(
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats()
    | strategies.text(max_size=5)
    | strategies.sampled_from(NAMES),
    lambda inner: (
        strategies.lists(inner, max_size=4)
        | strategies.dictionaries(strategies.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(max_examples=50, deadline=None)
@given(strategies.dictionaries(strategies.sampled_from(NAMES), ANYTHING, max_size=8))
def test_whatever_sentry_answers_becomes_json_that_groups(told: dict[str, Any]) -> None:
    payload = payload_of(told)
    assert json.loads(json.dumps(payload)).keys() == payload.keys()
    assert variant_of(payload).variant_hash
