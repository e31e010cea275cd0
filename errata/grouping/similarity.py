"""How alike two stacks are: shared frames, weighed by rarity and by nearness to the error, in linear time.

The idea is that of the published comparisons (TraceSim, S3M, FaST): a frame says the more, the fewer stacks
have it and the nearer it is to where the error was raised; a shared frame counts the less, the farther apart
its two places are. No alignment table is filled: each frame is looked up where the other stack has it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from errata.grouping.frame import is_native
from errata.grouping.languages import language_of
from errata.grouping.shape import FrameShape, VariantShape

# Measured on stacks of known bugs: docs/grouping.md, "Similar issues".
NEARNESS = 0.7
SHIFT = 0.05
RARITY = 1.0
MOST_PLACES = 300
# What a function of the same name in another module counts: it may have moved.
MOVED = 0.75
# With so many places of its own a stack is told by them alone.
ENOUGH_OWN = 3


@dataclass(frozen=True, slots=True)
class Trace:
    """What of a variant is compared: `places` are its frames, the one where the error was raised first."""

    type: str
    places: tuple[str, ...]
    template: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """A frame that both have, with its part of the score."""

    place: str
    score: float


class Rarity:
    """In how many of the known stacks a frame is."""

    def __init__(self, stack_count: int, counts: Mapping[str, int]) -> None:
        self.stack_count = stack_count
        self.counts = counts
        self._of_unknown = math.log(stack_count + 1) + 1
        self._weights = self._weights_of(counts)
        by_name: Counter[str] = Counter()
        for place, count in counts.items():
            by_name[function_of(place)] += count
        self._name_weights = self._weights_of(by_name)

    def _weights_of(self, counts: Mapping[str, int]) -> dict[str, float]:
        # A name may be in a stack more than once, in several modules.
        return {
            key: math.pow(math.log((self.stack_count + 1) / min(count, self.stack_count)) + 0.1, RARITY)
            for key, count in counts.items()
        }

    @classmethod
    def of(cls, traces: Iterable[Trace]) -> Rarity:
        counts: Counter[str] = Counter()
        stack_count = 0
        for trace in traces:
            counts.update(set(trace.places))
            stack_count += 1
        return cls(stack_count, counts)

    def weight(self, place: str) -> float:
        return self._weights.get(place, self._of_unknown)

    def name_weight(self, place: str) -> float:
        """How telling the function's name is: every module has a `get`."""
        return self._name_weights.get(function_of(place), self._of_unknown)


# 1, 1/2^a, 1/3^a, …: the place of a frame below the one where the error was raised.
_NEAR = [1 / (1 + position) ** NEARNESS for position in range(MOST_PLACES)]
_APART = [math.exp(-SHIFT * shift) for shift in range(MOST_PLACES)]


class Weighed:
    """A stack with the weight of each of its frames; of a recursion the innermost call counts."""

    __slots__ = ("by_name", "name_weights", "positions", "total", "weights")

    def __init__(self, places: Sequence[str], rarity: Rarity) -> None:
        self.positions: dict[str, int] = {}
        for place in places:
            if place not in self.positions:
                self.positions[place] = len(self.positions)
                if len(self.positions) == MOST_PLACES:
                    break
        self.weights = {place: rarity.weight(place) * _NEAR[at] for place, at in self.positions.items()}
        self.name_weights = {
            place: min(self.weights[place], rarity.name_weight(place) * _NEAR[at])
            for place, at in self.positions.items()
        }
        self.by_name = {function_of(place): place for place in reversed(self.positions)}
        self.total = sum(self.weights.values())


def similarity(left: Weighed, right: Weighed) -> float:
    """0: nothing shared, 1: the same frames in the same places."""
    total = left.total + right.total
    return sum(score for _, score in _shared(left, right)) / total if total else 0.0


def shared_frames(left: Weighed, right: Weighed, most: int = 5) -> list[Shared]:
    """The frames that make two stacks alike, the most telling first."""
    total = left.total + right.total
    found = [Shared(place, round(score / total, 4)) for place, score in _shared(left, right)]
    return sorted(found, key=lambda item: (-item.score, item.place))[:most]


def _shared(left: Weighed, right: Weighed) -> Iterable[tuple[str, float]]:
    if len(right.positions) < len(left.positions):
        left, right = right, left
    positions, weights = right.positions, right.weights
    for place, at in left.positions.items():
        there = positions.get(place)
        if there is not None:
            yield place, (left.weights[place] + weights[place]) * _APART[abs(at - there)]
            continue
        name = function_of(place)
        moved = right.by_name.get(name, "")
        # Of a name that comes more than once only the innermost, so that both sides see the same pair.
        if moved and moved not in left.positions and left.by_name[name] == place:
            told = MOVED * (left.name_weights[place] + right.name_weights[moved])
            yield moved, told * _APART[abs(at - positions[moved])]


def trace_of(shape: VariantShape) -> Trace | None:
    """None for what has no stack: there is nothing to compare."""
    if shape.is_overflow or not shape.exceptions:
        return None
    # The raised exception's frames, then those of what caused it.
    frames = [frame for item in reversed(shape.exceptions) for frame in reversed(item.frames)]
    is_library = language_of(shape.platform).is_library
    own = _places([frame for frame in frames if frame.in_app and not is_library(frame)], shape.platform)
    # What a framework calls in between follows its version, not the bug.
    places = own if len(set(own)) >= ENOUGH_OWN else _places(frames, shape.platform)
    if not places:
        return None
    types = dict.fromkeys(item.type for item in shape.exceptions)
    template = language_of(shape.platform).reworded(shape.message)
    return Trace(" < ".join(reversed(types)), tuple(places), template)


def _places(frames: Iterable[FrameShape], platform: str) -> list[str]:
    return [place for frame in frames if (place := place_of(frame, platform))]


def place_of(frame: FrameShape, platform: str) -> str:
    """A frame's name as it stays from build to build; empty where it has none."""
    language = language_of(platform)
    return "" if is_native(frame) or language.is_generated(frame) else language.place(frame)


def function_of(place: str) -> str:
    return place.rpartition(" ")[2]
