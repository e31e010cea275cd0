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

from errata.grouping.browser_1 import message_1
from errata.grouping.frame import is_native
from errata.grouping.names_1 import file_1, function_1, is_inlined, module_1
from errata.grouping.shape import FrameShape, VariantShape

# Measured on stacks of known bugs: docs/grouping.md, "The second stage".
NEARNESS = 0.7
SHIFT = 0.05
RARITY = 1.0
MOST_PLACES = 300


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
        self._weights = {
            place: math.pow(math.log((stack_count + 1) / count) + 0.1, RARITY)
            for place, count in counts.items()
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


# 1, 1/2^a, 1/3^a, …: the place of a frame below the one where the error was raised.
_NEAR = [1 / (1 + position) ** NEARNESS for position in range(MOST_PLACES)]
_APART = [math.exp(-SHIFT * shift) for shift in range(MOST_PLACES)]


class Weighed:
    """A stack with the weight of each of its frames; of a recursion the innermost call counts."""

    __slots__ = ("positions", "total", "weights")

    def __init__(self, places: Sequence[str], rarity: Rarity) -> None:
        self.positions: dict[str, int] = {}
        for place in places:
            if place not in self.positions:
                self.positions[place] = len(self.positions)
                if len(self.positions) == MOST_PLACES:
                    break
        self.weights = {place: rarity.weight(place) * _NEAR[at] for place, at in self.positions.items()}
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


def trace_of(shape: VariantShape) -> Trace | None:
    """None for what has no stack: there is nothing to compare."""
    if shape.is_overflow or not shape.exceptions:
        return None
    places: list[str] = []
    # The raised exception's frames, then those of what caused it.
    for item in reversed(shape.exceptions):
        places += [place for frame in reversed(item.frames) if (place := place_of(frame, shape.platform))]
    if not places:
        return None
    types = dict.fromkeys(module_1(item.type) for item in shape.exceptions)
    return Trace(" < ".join(reversed(types)), tuple(places), message_1(shape.template))


def place_of(frame: FrameShape, platform: str) -> str:
    """A frame's name as it stays from build to build; empty where it has none."""
    if is_native(frame) or is_inlined(frame.function):
        return ""
    module = module_1(frame.module)
    if module in ("", "__main__"):
        module = file_1(frame.file, in_app=frame.in_app)
    return f"{module} {function_1(frame.function, platform)}".strip()
