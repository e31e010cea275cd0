"""What a rule measured of page loads, gathered: its p75, whom it touched, and one real load that shows it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import NamedTuple

from errata.warehouse.queries.performance.sampled_loads import PageLoad

P75 = 0.75


class Measured(NamedTuple):
    """Of one load. `values`: what the rule weighs, the first of them what it is about."""

    subject: str
    load: PageLoad
    values: tuple[float, ...]
    page: str = ""
    """Where the same subject is told of each page by itself."""
    url: str = ""
    """The resource concerned; empty: the load as a whole."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """`values`: each at p75 of the loads that it was measured of."""

    subject: str
    page: str
    values: tuple[float, ...]
    load_count: int
    user_count: int
    example: Measured


def gathered(measured: Iterable[Measured]) -> Iterator[Gathered]:
    """By subject and page; the example is the load nearest to the p75, of equally near ones the latest."""
    subjects: dict[tuple[str, str], list[Measured]] = {}
    for one in measured:
        subjects.setdefault((one.subject, one.page), []).append(one)
    for (subject, page), own in subjects.items():
        values = tuple(percentile(column, P75) for column in zip(*(one.values for one in own), strict=True))
        yield Gathered(
            subject,
            page,
            values,
            load_count=len({one.load.view_id for one in own}),
            user_count=len({one.load.user_hash for one in own} - {0}),
            example=nearest(own, values[0]),
        )


def nearest(measured: Iterable[Measured], value: float) -> Measured:
    return min(measured, key=lambda one: (abs(one.values[0] - value), -one.load.received_at.timestamp()))


def percentile(values: Sequence[float], share: float) -> float:
    """Linear between neighbours, as numpy's default."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
