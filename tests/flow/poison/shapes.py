"""Ingredients: values and shapes that no SDK means to send."""

from typing import Any

from tests.flow.poison.line import Line
from tests.flow.poison.pot import Pot, leaves
from tests.flow.poison.values import ENORMOUS, NUMBERS, SHAPES, text

DEEPEST = 60
REFUSED = (
    b"{",
    b"nothing",
    b"[]",
    b"7",
    b'{"type": "event"}',
    b'{"type": "", "payload": {}}',
    b'{"type": 7, "payload": {}}',
    b'{"type": "event", "payload": []}',
    b'{"type": "event", "payload": {"message": "x"}, "logged_at": "never"}',
    b'{"type": "event", "payload": {"message": "x"}, "app_key": "errata_app_unknown"}',
    b'{"type": "event", "payload_b64": "?"}',
    b'{"type": "event", "payload": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b"\xff\xfe\x00",
    b"\x00\x00\x00",
    b" \t ",
    b"",
)


def odd_texts(pot: Pot) -> None:
    """Texts of every kind in the place of texts, and as names of tags and contexts."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session", "replay_event"), 10):
        _replace(pot, line, str, lambda: text(pot.chance))
        for name in ("tags", "extra", "contexts"):
            if isinstance(held := line.payload.get(name), dict):
                held[text(pot.chance)[:1000]] = text(pot.chance)


def odd_numbers(pot: Pot) -> None:
    """Zero, negative, tiny, as text, NaN."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session"), 10):
        _replace(pot, line, int | float, lambda: pot.chance.choice(NUMBERS))


def enormous_numbers(pot: Pot) -> None:
    """Beyond any column: durations, sizes, counts, vitals, positions in files."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session"), 10):
        _replace(pot, line, int | float, lambda: pot.chance.choice(ENORMOUS))


def odd_shapes(pot: Pot) -> None:
    """Anything in the place of anything."""
    for line in pot.some(
        pot.of_type("event", "transaction", "span", "session", "sessions", "replay_event"), 10
    ):
        _replace(pot, line, object, lambda: pot.chance.choice(SHAPES))


def duplicate_keys(pot: Pot) -> None:
    """Objects that say the same key twice."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session")):
        line.first = '"event_id": "1", "release": null, "tags": [], '
        line.last = pot.chance.choice(
            (
                ', "release": "first", "release": "second@2"',
                ', "environment": {}, "environment": "staging"',
                ', "user": {"id": 1, "id": "2"}',
                ', "message": "a", "message": ["b"]',
            )
        )


def odd_headers(pot: Pot) -> None:
    for line in pot.some(pot.of_type("event", "transaction", "span", "replay_event", "replay_recording")):
        line.item["headers"] = {
            "event_id": pot.chance.choice(SHAPES),
            "trace": pot.chance.choice((*SHAPES, {"release": text(pot.chance), "environment": 1e300})),
            text(pot.chance)[:100]: pot.chance.choice(SHAPES),
        }


def deep_nesting(pot: Pot) -> None:
    """Objects and lists within each other, also as deep as makes a line refused."""
    for line in pot.some(pot.of_type("event", "transaction", "span"), 3):
        depth = pot.chance.choice((10, DEEPEST, 200, 900))
        nested: Any = text(pot.chance)[:50]
        for level in range(depth):
            nested = {f"level{level}": nested} if level % 2 else [nested, level]
        for name in ("extra", "contexts", "data"):
            line.payload[name] = {**_mapping(line.payload.get(name)), "deep": nested}


def large_texts(pot: Pot) -> None:
    """Events of a megabyte: frames with large variables."""
    for line in pot.some(pot.of_type("event"), 2):
        line.payload["extra"] = {f"name{number}": "x" * 20_000 for number in range(30)}
        line.payload["message"] = "y" * 200_000


def unknown_types(pot: Pot) -> None:
    for type_ in ("profile", "feedback", "log", "trace_metric", "profile_chunk", "\u202e", "x" * 64, "line"):
        pot.add(type_, {"timestamp": pot.now.timestamp(), "body": text(pot.chance)})


def refused_lines(pot: Pot) -> None:
    """Lines that are none stand beside lines that are."""
    for refused in pot.chance.sample(REFUSED, 5):
        pot.lines.append(Line({}, instead=refused))


def _replace(pot: Pot, line: Line, kind: Any, value: Any) -> None:
    """A few of all values of a kind, wherever they stand."""
    places = [(held, key) for held, key in leaves(line.payload) if isinstance(held[key], kind)]
    for held, key in pot.chance.sample(places, min(len(places), pot.chance.choice((1, 2, 5, 20)))):
        held[key] = value()


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
