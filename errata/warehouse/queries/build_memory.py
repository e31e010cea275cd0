"""What a web process remembers of a build, which never changes: until another is published."""

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from errata.warehouse.client import Row, Warehouse

MOST_REMEMBERED = 2_000
MOST_QUESTIONS = 8


@dataclass
class BuildMemory:
    """Of one list: a period and an environment. What is too much is forgotten whole."""

    details: dict[int, Row] = field(default_factory=dict)
    """What the list shows of an issue."""
    looks: dict[int, tuple[Hashable, Row]] = field(default_factory=dict)
    """The same of one that no build has put together, as of which variants."""
    users: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    """Users that came since to an issue, and how many it has with them."""

    rows: dict[Hashable, dict[int, tuple[Hashable, Row | None]]] = field(default_factory=dict)
    """By question: issues that something came to, as of what; None of one that is not listed."""

    def keep_small(self) -> None:
        if len(self.details) > MOST_REMEMBERED:
            self.details = {}
        if len(self.looks) > MOST_REMEMBERED:
            self.looks = {}
        if len(self.rows) > MOST_QUESTIONS:
            self.rows = {}
        if len(self.users) > 10 * MOST_REMEMBERED:
            self.users = {}


@lru_cache(maxsize=32)
def build_memory(_warehouse: Warehouse, _scope: tuple[object, ...]) -> BuildMemory:
    """`scope`: project, build, period, environment and where its steps begin."""
    return BuildMemory()


@dataclass(frozen=True)
class Order:
    """Issues as a list has them, the greatest first. Sixteen bytes an issue."""

    values: "array[int]"
    issue_ids: "array[int]"

    def after(self, key: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
        """Sort value and issue, from those below a place on."""
        first = 0
        if key is not None:
            places = range(len(self.values))
            first = bisect_left(places, True, key=lambda place: self._key(place) < key)
        for place in range(first, len(self.values)):
            yield self._key(place)

    def above(self, key: tuple[int, int], issue_ids: set[int]) -> list[tuple[int, int]]:
        """Those of these issues that stand at a place or above it."""
        found = (self._key(place) for place, each in enumerate(self.issue_ids) if each in issue_ids)
        return [each for each in found if each >= key] if issue_ids else []

    def _key(self, place: int) -> tuple[int, int]:
        return self.values[place], self.issue_ids[place]


def order(warehouse: Warehouse, statement: str, parameters: Mapping[str, Any]) -> Order:
    """`parameters` name the build."""
    return _order(warehouse, statement, _Frozen(parameters))


class _Frozen:
    """Parameters as a key."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self._key = repr(sorted(parameters.items()))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and other._key == self._key


@lru_cache(maxsize=32)
def _order(warehouse: Warehouse, statement: str, frozen: _Frozen) -> Order:
    columns = warehouse.columns(statement, frozen.parameters)
    return Order(array("q", columns.get("sort_value", ())), array("Q", columns.get("issue_id", ())))
