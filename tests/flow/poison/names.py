"""Ingredients: names beyond number."""

from datetime import timedelta
from typing import Any

from tests.flow.poison import made_items
from tests.flow.poison.pot import Pot
from tests.flow.poison.values import text

MANY = 10_000
MOST_LINES = 2_000


def many_names(pot: Pot) -> None:
    """Thousands of names of one kind in one seed of eight, hundreds in the others."""
    count = MOST_LINES if pot.chance.random() < 0.125 else pot.chance.choice((50, 150, 300))
    kind = pot.chance.choice(
        ("pages", "routes", "tags", "releases", "users", "fingerprints", "resources", "environments")
    )
    if count == MOST_LINES and kind in ("tags", "resources"):
        count = MANY // 100
    for number in range(count):
        _name(pot, kind, f"n{number}-{pot.hex(4)}")


def few_names(pot: Pot) -> None:
    """Tens of names, of all kinds, some of them odd."""
    for number in range(30):
        kind = pot.chance.choice(
            ("pages", "routes", "tags", "releases", "users", "fingerprints", "environments")
        )
        _name(pot, kind, pot.chance.choice((f"n{number}", text(pot.chance)[:300])))


def _name(pot: Pot, kind: str, name: str) -> None:
    at = (pot.now - timedelta(seconds=pot.chance.randrange(3_000))).isoformat()
    if kind == "pages":
        made_items.load(pot, 1).payload["transaction"] = f"/{name}"
    elif kind == "routes":
        made_items.call(pot, transaction=f"/{name}")
    elif kind == "resources":
        spans: list[dict[str, Any]] = made_items.load(pot, 1).payload["spans"]
        spans.extend(
            {**spans[0], "span_id": pot.hex(16), "description": f"/{name}-{i}.js"} for i in range(100)
        )
    elif kind == "tags":
        made_items.event(pot, timestamp=at, tags={f"{name}-{number}": name for number in range(100)})
    elif kind == "fingerprints":
        made_items.event(pot, timestamp=at, fingerprint=[name])
    elif kind == "users":
        made_items.event(pot, timestamp=at, user={"id": name, "email": f"{name}@example.org"})
    else:
        field = kind.removesuffix("s")
        pot.chance.choice((made_items.event, made_items.call))(pot, **{field: name})
        made_items.load(pot, 1).payload[field] = name
