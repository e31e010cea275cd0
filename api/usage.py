"""What projects deliver, what became of it, and what their limits allow, by time of receipt."""

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Generic, TypeVar

from errata.field_outcomes import LEFT_OUT, OUTCOMES, FieldOutcome, field_outcome
from errata.period import Period
from errata.service_names import NO_SERVICE, SEVERAL_SERVICES
from errata.state import Store
from errata.state.ingest_limits import NOT_LEARNED, IngestLimit, LimitKind
from errata.state.projects import Project
from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.usage import (
    LineUse,
    OutcomeUse,
    Refusal,
    Usage,
    Use,
    line_use,
    outcome_use,
)

DAY = timedelta(days=1)
WEEK_DAYS = 7
REFUSED = tuple(name for name in OUTCOMES if name.endswith("_rate_limited"))
WHOLES = ("line", "delivery")
"""Item types of outcomes that are not of items."""
DRAWN = (
    *(FieldOutcome.ACCEPTED, FieldOutcome.FILTERED, FieldOutcome.INVALID),
    FieldOutcome.CLIENT_DISCARD,
)
"""Each line or item is in one of them. Refused deliveries are no items, and values are parts of items."""

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LimitedLines:
    """Lines of a project, where the service is empty, or of one of its services; `(none)`: of keys without a
    service, which only the project's limits hold."""

    project: Project
    service: str
    limits: Mapping[LimitKind, IngestLimit]
    use: Use
    refused_delivery_count: int = 0

    @property
    def is_limitable(self) -> bool:
        return self.service != NO_SERVICE

    @property
    def is_spike_protected(self) -> bool:
        return LimitKind.SPIKES in self.limits

    def per_minute(self, kind: LimitKind) -> int | None:
        """None: no limit of this kind, or one that is not learned yet."""
        found = self.limits.get(kind)
        return found.per_minute if found is not None and found.per_minute != NOT_LEARNED else None


@dataclass(frozen=True, slots=True)
class NamedUse(Generic[Name]):
    """Lines of one service or API key in the period, and their bytes."""

    name: Name
    accepted_count: int
    rejected_count: int
    byte_count: int


@dataclass(frozen=True, slots=True)
class UsageOverTime:
    """`counts`: lines and items by outcome and step, those of `DRAWN`. `outcomes`: everything that was not
    stored as sent, the most first."""

    starts: Sequence[datetime]
    step: timedelta
    counts: Mapping[FieldOutcome, Sequence[int]]
    bytes: Sequence[int]
    outcomes: Sequence[OutcomeUse]
    services: Sequence[NamedUse[tuple[int, str]]]
    """By project and service."""
    api_keys: Sequence[NamedUse[str]]
    """By the prefix of the API key."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Accepted lines and bytes of a calendar month (UTC) until now; and at its end, at the pace of the last
    seven whole days. None: the first delivery is not a week old."""

    month: date
    line_count: int
    byte_count: int
    lines_at_end: int | None
    bytes_at_end: int | None


def usage_over_time(
    warehouse: Warehouse, projects: Sequence[int], period: Period, now: datetime, service: str = ""
) -> UsageOverTime:
    """Of all services without one; `(none)`: of keys without a service."""
    steps = period.at(now).steps()
    span = steps.since, steps.since + steps.count * steps.step, steps.step
    lines, outcomes = both(
        lambda: line_use(warehouse, projects, *span), lambda: outcome_use(warehouse, projects, *span)
    )
    if service:
        own = "" if service == NO_SERVICE else service
        lines = [one for one in lines if one.service == own]
        outcomes = [one for one in outcomes if one.service == own]
    accepted, invalid, sizes = Counter[int](), Counter[int](), Counter[int]()
    for line in lines:
        accepted.update(line.accepted)
        invalid.update(line.rejected)
        sizes.update(line.bytes)
    counts = {outcome: Counter[int]() for outcome in DRAWN}
    counts[FieldOutcome.INVALID] = invalid
    for one in outcomes:
        if one.item_type in WHOLES:
            continue
        if one.outcome in LEFT_OUT:
            # Their lines were accepted, and they are not stored.
            counts[LEFT_OUT[one.outcome]].update(one.counts)
            accepted.subtract(one.counts)
        elif field_outcome(one.outcome) is FieldOutcome.CLIENT_DISCARD:
            counts[FieldOutcome.CLIENT_DISCARD].update(one.counts)
    counts[FieldOutcome.ACCEPTED] = accepted
    numbers = range(steps.count)
    return UsageOverTime(
        steps.starts,
        steps.step,
        {outcome: [max(0, counts[outcome][number]) for number in numbers] for outcome in DRAWN},
        [sizes[number] for number in numbers],
        sorted(
            outcomes,
            key=lambda one: (-one.item_count, one.project_id, one.service, one.item_type, one.outcome),
        ),
        _named(
            [one for one in lines if one.service != SEVERAL_SERVICES],
            lambda one: (one.project_id, one.service),
        ),
        _named(lines, lambda one: one.api_key_prefix),
    )


def _named(lines: Sequence[LineUse], name_of: Callable[[LineUse], Name]) -> list[NamedUse[Name]]:
    """By name, those with the most lines first, of equal ones in the order of their names."""
    accepted, rejected, sizes = Counter[Name](), Counter[Name](), Counter[Name]()
    for one in lines:
        name = name_of(one)
        accepted[name] += one.accepted.total()
        rejected[name] += one.rejected.total()
        sizes[name] += one.bytes.total()
    return [
        NamedUse(name, accepted[name], rejected[name], sizes[name])
        for name, _ in sorted(accepted.items(), key=lambda each: (-each[1], each[0]))
        if accepted[name] or rejected[name] or sizes[name]
    ]


def forecast(warehouse: Warehouse, projects: Sequence[int], now: datetime) -> Forecast:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    month = today.replace(day=1)
    since = min(month, today - WEEK_DAYS * DAY)
    lines = line_use(warehouse, projects, since, today + DAY, DAY)
    accepted, sizes = Counter[int](), Counter[int]()
    for one in lines:
        accepted.update(one.accepted)
        sizes.update(one.bytes)
    first, this_day = (month - since) // DAY, (today - since) // DAY
    week = range(this_day - WEEK_DAYS, this_day)
    has_week = any(accepted[day] for day in range(week[0] + 1))
    left = (month + monthrange(month.year, month.month)[1] * DAY - now) / DAY

    def at_end(counts: Counter[int], so_far: int) -> int | None:
        pace = sum(counts[day] for day in week) / WEEK_DAYS
        return round(so_far + pace * left) if has_week else None

    line_count, byte_count = (
        sum(counts[day] for day in range(first, this_day + 1)) for counts in (accepted, sizes)
    )
    return Forecast(
        month.date(), line_count, byte_count, at_end(accepted, line_count), at_end(sizes, byte_count)
    )


def limited_lines(
    store: Store, organization_id: int, projects: Sequence[Project], used: Usage, refusals: Sequence[Refusal]
) -> list[LimitedLines]:
    """By project its own row, then those of its services by name."""
    known: dict[tuple[int, str], dict[LimitKind, IngestLimit]] = {}
    for limit in store.ingest_limits.of_projects([project.id for project in projects]):
        known.setdefault((limit.project_id, limit.service), {})[limit.kind] = limit
    services = {*store.ingest_limits.services(organization_id), *used.by_service, *known}
    refused = Counter[tuple[int, str]]()
    for one in refusals:
        if one.reason in REFUSED:
            refused[one.project_id, one.service] += one.refused_count

    def rows() -> Iterator[LimitedLines]:
        for project in projects:
            own = project.id, ""
            of_project = used.by_project.get(project.id, Use())
            yield LimitedLines(project, "", known.get(own, {}), of_project, refused[own])
            names = sorted(
                service for project_id, service in services if project_id == project.id and service
            )
            for name in names:
                key = project.id, name
                use = used.by_service.get(key, Use())
                yield LimitedLines(project, name, known.get(key, {}), use, refused[key])
            if names:
                yield LimitedLines(project, NO_SERVICE, {}, used.by_service.get(own, Use()))

    return list(rows())
