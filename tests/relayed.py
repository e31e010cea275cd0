"""Events with secrets in them, and which of these `sentry-relay` stripped, as `bench.relay` recorded it."""

import gzip
import json
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import cycle
from typing import Any, NamedTuple

from tests.captures import DATA
from tests.sdk_events import NAMES, sdk_events
from tests.secret_catalog import Secret
from tests.secret_places import Place, places, saturated

FILE = DATA / "relay.json.gz"
# Short ones, which every secret is planted at.
COMMON = tuple(
    Place("event", {str(path[0]): template}, path, form)
    for path, template, form in (
        (("extra",), {"a": "b"}, "entry"),
        (("extra", "a"), {"a": "b"}, "text"),
        (("extra", "a"), {"a": ["b"]}, "pair"),
        (("extra", "a"), {"a": {"b": "c"}}, "typed entry"),
        (("contexts", "shop"), {"shop": {"a": "b"}}, "entry"),
        (("tags",), {"a": "b"}, "entry"),
        (("user",), {"id": "1"}, "entry"),
        (("modules",), {"a": "1.0"}, "entry"),
        (("logentry", "formatted"), {"formatted": "b"}, "text"),
        (("exception", "values", 0, "value"), {"values": [{"type": "E", "value": "b"}]}, "text"),
        (
            ("exception", "values", 0, "stacktrace", "frames", 0, "vars"),
            {"values": [{"type": "E", "stacktrace": {"frames": [{"function": "f", "vars": {"a": "b"}}]}}]},
            "entry",
        ),
        (("breadcrumbs", "values", 0, "message"), {"values": [{"message": "b"}]}, "text"),
        (("breadcrumbs", "values", 0, "data"), {"values": [{"data": {"a": "b"}}]}, "entry"),
        (("request", "url"), {"url": "https://shop.example/"}, "text"),
        (("request", "query_string"), {"query_string": "a=b"}, "text"),
        (("request", "query_string"), {"query_string": [["a", "b"]]}, "pair"),
        (("request", "headers"), {"headers": {"A": "b"}}, "entry"),
        (("request", "headers"), {"headers": [["A", "b"]]}, "pair"),
        (("request", "cookies"), {"cookies": {"a": "b"}}, "entry"),
        (("request", "env"), {"env": {"A": "b"}}, "entry"),
        (("request", "data"), {"data": {"a": "b"}}, "entry"),
        (("request", "data"), {"data": "a=b"}, "text"),
    )
)


class Stripped(NamedTuple):
    """A secret that Relay leaves nothing of in an event."""

    where: str
    secret: Secret
    event: dict[str, Any]


def is_left(written: str, secret: Secret) -> bool:
    return any(part in written or json.dumps(part)[1:-1] in written for part in secret.gone)


def recorded_places() -> dict[str, Place]:
    """All that Relay takes for an event, without remarks of SDKs on what they cut."""
    return {
        place.id: place
        for place in places()
        if place.item_type in ("event", "transaction") and place.path[0] != "_meta"
    }


def saturated_events(secrets: Iterable[Secret]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One of each recorded SDK, with another secret at every text."""
    following = cycle(secrets)
    for name in NAMES:
        yield name, saturated(sdk_events(name)[0], following)


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return content


def secrets_tried() -> list[Secret]:
    return [Secret(*fields) for fields in _content()["secrets"]]


def stripped_at_common_places() -> Iterator[Stripped]:
    secrets = secrets_tried()
    for place in COMMON:
        for number in _content()["common"][place.id]:
            yield Stripped(place.id, secrets[number], place.planted(secrets[number]))


def stripped_in_recorded_events() -> Iterator[Stripped]:
    secrets, known = secrets_tried(), recorded_places()
    for where, (numbers, _) in _content()["recorded"].items():
        for number in numbers:
            yield Stripped(where, secrets[number], known[where].planted(secrets[number]))
    for name, event in saturated_events(secrets):
        for number in _content()["sdks"][name]:
            yield Stripped(name, secrets[number], event)
