"""Two JSON values beside each other, a row for every value that either of them holds."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

DEEPEST = 10
MOST_ROWS = 1000
# As our scrubbing writes it, and as SDKs do.
FILTERED = frozenset({"[FILTERED]", "[Filtered]"})


@dataclass(frozen=True)
class Side:
    """`kind` is missing, null, boolean, number, text, list, object or filtered; no two kinds are equal."""

    kind: str
    text: str = ""

    @classmethod
    def of(cls, value: Any) -> "Side":
        if value is None:
            return cls("null", "null")
        if isinstance(value, bool):
            return cls("boolean", "true" if value else "false")
        if isinstance(value, int | float):
            # 1 and 1.0 are the same number of JSON.
            whole = isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53
            return cls("number", str(int(value) if whole else value))
        if isinstance(value, str):
            return cls("filtered", "[FILTERED]") if value in FILTERED else cls("text", value)
        return cls("list" if isinstance(value, list) else "object", json.dumps(value, sort_keys=True))


MISSING = Side("missing")


@dataclass(frozen=True)
class Row:
    path: str
    left: Side
    right: Side

    @property
    def is_different(self) -> bool:
        return self.left != self.right

    @property
    def is_unknown(self) -> bool:
        """Filtered on both sides: what was there may have differed."""
        return self.left.kind == self.right.kind == "filtered"


def difference(left: Any, right: Any, path: str = "") -> list[Row]:
    """In the order of the left one, then what only the right one has. Lists are compared place by place."""
    if isinstance(left, dict) and isinstance(right, dict) and not (left and right):
        # Nothing stands beside each of the values, rather than an empty object beside all of them.
        left, right = (side or NOTHING for side in (left, right))
    if left is NOTHING and right is NOTHING:
        return []
    return list(islice(_rows(left, right, path, 0), MOST_ROWS))


class _Missing:
    """Told from null, which is a value."""


NOTHING = _Missing()


def _rows(left: Any, right: Any, path: str, depth: int) -> Iterator[Row]:
    if depth < DEEPEST and _are(dict, left, right):
        ours, theirs = ({} if side is NOTHING else side for side in (left, right))
        for name in dict.fromkeys((*ours, *theirs)):
            below = f"{path}.{name}" if path else str(name)
            yield from _rows(ours.get(name, NOTHING), theirs.get(name, NOTHING), below, depth + 1)
    elif depth < DEEPEST and _are(list, left, right):
        pairs = zip_longest(*([] if side is NOTHING else side for side in (left, right)), fillvalue=NOTHING)
        for place, (first, second) in enumerate(pairs):
            yield from _rows(first, second, f"{path}[{place}]", depth + 1)
    else:
        yield Row(path, _side(left), _side(right))


def _are(kind: type, left: Any, right: Any) -> bool:
    """Of this kind where they are there at all, and neither empty: nothing stands below an empty one."""
    present = [side for side in (left, right) if side is not NOTHING]
    return bool(present) and all(isinstance(side, kind) and bool(side) for side in present)


def _side(value: Any) -> Side:
    return MISSING if value is NOTHING else Side.of(value)
