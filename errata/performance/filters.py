"""Filters of pages with page loads, a field each: conditions, REST, addresses and forms follow from it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from errata.period import Period, TimeRange


@dataclass(frozen=True)
class Filter:
    """Of one column of errata_mart.page_loads, a text; `name` is its parameter, too."""

    name: str
    label: str
    description: str
    """Of the parameter of REST."""
    longest: int = 64
    choices: tuple[str, ...] = ()
    """The values there are; empty: any, and the form offers those that are known."""
    is_of_days: bool = False
    """Whether all marts of performance tell it apart; the others are answered from page loads."""


def narrowed(label: str, description: str, **told: Any) -> Any:
    """A field of Filters; empty: all."""
    return field(default="", metadata={"label": label, "description": description, **told})


@dataclass(frozen=True, slots=True)
class Filters:
    """What a page of performance is narrowed to; an empty one narrows nothing."""

    projects: Sequence[int]
    period: Period
    now: datetime
    environment: str = narrowed("Environment", "Only this one; empty: all.", is_of_days=True)
    release: str = narrowed("Release", "Only this one; empty: all.", longest=250, is_of_days=True)
    device: str = narrowed(
        "Device",
        "Only views on this type of device; empty: all.",
        choices=("desktop", "mobile", "tablet", "bot"),
    )
    browser: str = narrowed("Browser", "Only views in this browser, such as `Firefox`; empty: all.")
    country: str = narrowed(
        "Country",
        "Only views from this country (ISO 3166-1 code such as `DE`); empty: all.",
        longest=2,
    )

    @property
    def range(self) -> TimeRange:
        return self.period.at(self.now)

    @property
    def chosen(self) -> tuple[Hashable, ...]:
        """All but the moment: by this an answer of a build is asked for again."""
        return (tuple(self.projects), self.period, *(getattr(self, one.name) for one in FILTERS))

    @property
    def is_of_loads(self) -> bool:
        """Whether a filter is chosen that marts of days do not tell apart."""
        return any(getattr(self, one.name) for one in FILTERS if not one.is_of_days)

    @property
    def parameters(self) -> dict[str, object]:
        """Of a statement over page loads."""
        return {"projects": list(self.projects)} | {one.name: getattr(self, one.name) for one in FILTERS}

    @property
    def parameters_of_days(self) -> dict[str, object]:
        """Of a statement over other marts."""
        return {"projects": list(self.projects)} | {one.name: getattr(self, one.name) for one in OF_DAYS}


FILTERS = tuple(Filter(one.name, **one.metadata) for one in fields(Filters) if one.metadata)
OF_DAYS = tuple(one for one in FILTERS if one.is_of_days)
