"""Precision and recall over pairs of events: of those put together, and of those that belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairwise:
    events: int
    bugs: int
    issues: int
    precision: float
    recall: float
    f1: float


def pairwise(found: Iterable[tuple[Hashable, Hashable]]) -> Pairwise:
    """From each event's bug and the issue it was put into."""
    together = Counter(found)
    by_bug: Counter[Hashable] = Counter()
    by_issue: Counter[Hashable] = Counter()
    for (bug, issue), count in together.items():
        by_bug[bug] += count
        by_issue[issue] += count
    right, belong, put = _pairs(together), _pairs(by_bug), _pairs(by_issue)
    precision, recall = right / put if put else 1.0, right / belong if belong else 1.0
    both = precision + recall
    return Pairwise(
        events=together.total(),
        bugs=len(by_bug),
        issues=len(by_issue),
        precision=round(precision, 5),
        recall=round(recall, 5),
        f1=round(2 * precision * recall / both, 5) if both else 0.0,
    )


def _pairs(counts: Counter[Hashable] | Counter[tuple[Hashable, Hashable]]) -> int:
    return sum(count * (count - 1) // 2 for count in counts.values())
