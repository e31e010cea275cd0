"""Loads that had not ended when they were reported, and how far they reach into percentiles of load times."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata.performance.metric import LOAD, LOAD_AT_MOST, UNENDED
from errata.warehouse.client import Row

NAMES = ("p50", "p75", "p95")
LEVELS = (0.5, 0.75, 0.95)
# As exact as percentiles merged from digests are.
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Unended:
    """`count` of `load_count` loads. The percentiles beside it are what the true ones are at least."""

    count: int = 0
    load_count: int = 0
    at_most: tuple[float | None, ...] = (None, None, None)
    """Of p50, p75 and p95; None: no bound, or none measured."""
    at_least: tuple[str, ...] = ()
    """Names of the percentiles that may truly be more than 1% higher."""


def unended_of(metrics: Mapping[str, Row]) -> Unended:
    """By the rows of one page or period, by metric."""
    if LOAD not in metrics:
        return Unended()
    known: Sequence[float] = metrics[LOAD]["percentiles"]
    load_count = int(metrics[LOAD]["sample_count"])
    if UNENDED not in metrics or LOAD_AT_MOST not in metrics:
        return Unended(load_count=load_count, at_most=tuple(known))
    count = int(metrics[UNENDED]["sample_count"])
    largest = metrics[LOAD_AT_MOST]["percentiles"]
    at_most = tuple(
        max(low, high) if is_bounded(level, load_count, count) else None
        for level, low, high in zip(LEVELS, known, largest, strict=True)
    )
    return Unended(count, load_count, at_most, open_ones(known, at_most))


def open_ones(known: Sequence[float], at_most: Sequence[float | None]) -> tuple[str, ...]:
    return tuple(name for name, low, high in zip(NAMES, known, at_most, strict=True) if is_open(low, high))


def is_bounded(level: float, load_count: int, unended_count: int) -> bool:
    """Whether a percentile is at most that of LOAD_AT_MOST. It is, if the loads that it lies between would
    have ended though every unended load were slower than all others; a mean (level 0) is not."""
    if not unended_count:
        return True
    return level > 0 and math.ceil(level * (load_count - 1)) < load_count - unended_count


def is_open(low: float, at_most: float | None) -> bool:
    return at_most is None or at_most > low * (1 + TOLERANCE)
