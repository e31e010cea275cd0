"""Which issues may be the same: candidates by shared rare frames, then their most alike stacks compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from errata.grouping.similarity import Rarity, Trace, Weighed, shared_frames, similarity

# Measured: docs/grouping.md, "Similar issues".
SUGGESTED_FROM = 0.6
NEAR_CERTAIN_FROM = 0.9
# A frame of more issues of one type is no sign; below so many issues of a type all are compared.
MOST_ISSUES_A_FRAME = 50
FEW_ISSUES = 12
RAREST_FRAMES = 8
MOST_CANDIDATES = 16
MOST_TRACES_AN_ISSUE = 20
MOST_PAIRS_AN_ISSUE = 5


@dataclass(frozen=True, slots=True)
class Stack:
    """One distinct stack of an issue. `is_new`: not compared with the others yet."""

    issue_id: int
    trace: Trace
    first_seen_ms: int = 0
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """`issue_id` is the later of the two."""

    issue_id: int
    other_issue_id: int
    score: float
    is_near_certain: bool
    reason: dict[str, Any]


def similar_pairs(stacks: Iterable[Stack], check: Callable[[], None] = lambda: None) -> list[SimilarPair]:
    """Pairs of issues of the same chain of exception types, the new ones against all. `check` is called at
    each stack, and may raise."""
    distinct = _distinct(stacks)
    rarity = Rarity.of(stack.trace for stack in distinct)
    by_type: defaultdict[str, list[Stack]] = defaultdict(list)
    for stack in distinct:
        by_type[stack.trace.type].append(stack)
    first_seen: dict[int, int] = {}
    for stack in distinct:
        first_seen[stack.issue_id] = min(
            first_seen.get(stack.issue_id, stack.first_seen_ms), stack.first_seen_ms
        )
    return [
        pair
        for members in by_type.values()
        if any(stack.is_new for stack in members) and len({stack.issue_id for stack in members}) > 1
        for pair in _OfType(members, rarity, first_seen).pairs(check)
    ]


def _distinct(stacks: Iterable[Stack]) -> list[Stack]:
    """Each stack of an issue once; of an issue with very many the first ones."""
    seen: set[tuple[int, tuple[str, ...], str]] = set()
    counts: Counter[int] = Counter()
    found: list[Stack] = []
    for stack in stacks:
        key = (stack.issue_id, stack.trace.places, stack.trace.template)
        if key not in seen and counts[stack.issue_id] < MOST_TRACES_AN_ISSUE:
            seen.add(key)
            counts[stack.issue_id] += 1
            found.append(stack)
    return found


class _OfType:
    """The stacks of one chain of exception types."""

    def __init__(self, members: Sequence[Stack], rarity: Rarity, first_seen: dict[int, int]) -> None:
        self._members = members
        self._rarity = rarity
        self._first_seen = first_seen
        self._weighed: dict[int, Weighed] = {}
        self._issues = {stack.issue_id for stack in members}
        self._having: defaultdict[str, list[int]] = defaultdict(list)
        self._issues_having: defaultdict[str, set[int]] = defaultdict(set)
        for number, stack in enumerate(members):
            for place in dict.fromkeys(stack.trace.places):
                self._having[place].append(number)
                self._issues_having[place].add(stack.issue_id)

    def pairs(self, check: Callable[[], None]) -> list[SimilarPair]:
        best: dict[tuple[int, int], tuple[float, bool, int, int]] = {}
        for number, stack in enumerate(self._members):
            if not stack.is_new:
                continue
            check()
            for other in self._candidates(number):
                self._compare(number, other, best)
        return self._kept(best)

    def _candidates(self, number: int) -> Collection[int]:
        stack = self._members[number]
        if len(self._issues) <= FEW_ISSUES:
            return [n for n, other in enumerate(self._members) if other.issue_id != stack.issue_id]
        telling = [
            place
            for place in dict.fromkeys(stack.trace.places)
            if 1 < len(self._issues_having[place]) <= MOST_ISSUES_A_FRAME
        ]
        telling.sort(key=self._rarity.weight, reverse=True)
        found: Counter[int] = Counter()
        for place in telling[:RAREST_FRAMES]:
            found.update(self._having[place])
        others = [n for n, _ in found.most_common() if self._members[n].issue_id != stack.issue_id]
        return others[:MOST_CANDIDATES]

    def _compare(
        self, number: int, other: int, best: dict[tuple[int, int], tuple[float, bool, int, int]]
    ) -> None:
        score = similarity(self._weigh(number), self._weigh(other))
        if score < SUGGESTED_FROM:
            return
        left, right = self._members[number], self._members[other]
        later, earlier = sorted(
            (left.issue_id, right.issue_id), key=lambda issue: (self._first_seen[issue], issue), reverse=True
        )
        near_certain = score >= NEAR_CERTAIN_FROM and _is_same_error(left.trace, right.trace)
        found = (score, near_certain, number, other)
        if (later, earlier) not in best or (near_certain, score) > best[later, earlier][1::-1]:
            best[later, earlier] = found

    def _weigh(self, number: int) -> Weighed:
        if number not in self._weighed:
            self._weighed[number] = Weighed(self._members[number].trace.places, self._rarity)
        return self._weighed[number]

    def _kept(self, best: dict[tuple[int, int], tuple[float, bool, int, int]]) -> list[SimilarPair]:
        counts: Counter[int] = Counter()
        kept: list[SimilarPair] = []
        for (later, earlier), (score, near_certain, left, right) in sorted(
            best.items(), key=lambda item: (-item[1][1], -item[1][0], item[0])
        ):
            counts[later] += 1
            if counts[later] <= MOST_PAIRS_AN_ISSUE:
                reason = self._reason(left, right)
                kept.append(SimilarPair(later, earlier, round(score, 4), near_certain, reason))
        return kept

    def _reason(self, left: int, right: int) -> dict[str, Any]:
        one, other = self._members[left].trace, self._members[right].trace
        return {
            "type": one.type,
            "same_message": one.template == other.template,
            "same_place": one.places[0] == other.places[0],
            "frames": [
                {"frame": shared.place, "score": shared.score}
                for shared in shared_frames(self._weigh(left), self._weigh(right))
            ],
            "frame_counts": [len(one.places), len(other.places)],
        }


def _is_same_error(left: Trace, right: Trace) -> bool:
    """Raised in the same place with the same words: what differs is how the program came there."""
    return left.places[0] == right.places[0] and bool(left.template) and left.template == right.template
