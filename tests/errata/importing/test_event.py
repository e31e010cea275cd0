"""An event told by Sentry's API groups as the event that an SDK sent."""

from collections.abc import Iterator
from typing import Any

from errata.grouping import fingerprint_of, variant_of
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
    yield from events_of_stacks()


def test_every_recorded_event_is_the_same_variant_by_way_of_the_api() -> None:
    seen, different = 0, []
    for payload in recorded():
        told = payload_of(documented(payload))
        direct, imported = variant_of(payload), variant_of(told)
        seen += 1
        if imported.variant_hash != direct.variant_hash or imported.title != direct.title:
            different.append((direct.title, payload, told))
    assert seen > 2000
    assert [title for title, *_ in different] == []
