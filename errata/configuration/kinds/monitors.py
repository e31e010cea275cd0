"""Monitors of scheduled jobs that are declared, whatever their check-ins say of their schedules."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind, Wrong
from errata.errors import InvalidParameter
from errata.monitors.config import (
    MOST_MINUTES,
    MOST_THRESHOLD,
    USUAL_MARGIN,
    USUAL_RUNTIME,
    InvalidConfig,
    MonitorConfig,
    config_of,
)
from errata.monitors.schedule import Unit
from errata.state.monitors import MOST_A_PROJECT, DeclaredMonitor, NewMonitor, name_of

USUAL_ENVIRONMENT = "production"
# Of a monitor, on average at most.
ENVIRONMENTS = 4


class ScheduleEntry(Entry):
    type: str = Field(json_schema_extra={"enum": ["crontab", "interval"]})
    value: Any = Field(
        description="A crontab such as `0 3 * * *`, or the number of an interval.",
        json_schema_extra={"type": ["string", "integer"]},
    )
    unit: str | None = Field(
        default=None,
        description="Of an interval.",
        json_schema_extra={"enum": [None, *(each.value for each in Unit)]},
    )


class MonitorEntry(Entry):
    slug: str = Field(description="As check-ins name it.")
    environment: str = Field(default=USUAL_ENVIRONMENT, description="Empty: of check-ins that name none.")
    schedule: ScheduleEntry
    timezone: str = "UTC"
    checkin_margin: int = Field(
        default=USUAL_MARGIN, description="Minutes that a run may begin late.", ge=1, le=MOST_MINUTES
    )
    max_runtime: int = Field(
        default=USUAL_RUNTIME, description="Minutes that a run may take.", ge=1, le=MOST_MINUTES
    )
    failure_issue_threshold: int = Field(
        default=1, description="Failed runs in a row that make it fail.", ge=1, le=MOST_THRESHOLD
    )
    recovery_threshold: int = Field(
        default=1, description="Good runs in a row after which it recovers.", ge=1, le=MOST_THRESHOLD
    )

    @property
    def monitor(self) -> NewMonitor:
        """Raises InvalidParameter."""
        values = self.model_dump(exclude={"slug", "environment"})
        try:
            monitor = NewMonitor(self.slug.lower(), self.environment, config_of(values))
        except InvalidConfig as error:
            raise InvalidParameter(error.field, str(error)) from error
        monitor.require_valid()
        return monitor


class Monitors(ListKind[MonitorEntry]):
    field = "monitors"
    noun = "monitor"
    description = "Scheduled jobs that are expected, even before their first check-in."
    shape = list[MonitorEntry]
    most = MOST_A_PROJECT * ENVIRONMENTS

    def name(self, entry: MonitorEntry) -> str:
        return name_of((entry.slug.lower(), entry.environment))

    def stored(self, context: Context) -> list[MonitorEntry]:
        return [_entry(one) for row in self._rows(context) if (one := row.monitor)]

    def checked(self, context: Context, entry: MonitorEntry) -> MonitorEntry:
        return _entry(entry.monitor)

    def wrong(self, context: Context, value: list[MonitorEntry]) -> Iterator[Wrong]:
        yield from super().wrong(context, value)
        slugs = set[str]()
        for number, entry in enumerate(value):
            slugs.add(entry.slug.lower())
            if len(slugs) > MOST_A_PROJECT:
                yield (number,), f"a project has at most {MOST_A_PROJECT} monitors"
                return

    def create(self, context: Context, entry: MonitorEntry) -> None:
        context.store.monitors.declare(
            context.organization_id, context.slug, entry.monitor, actor=context.actor
        )

    def change(self, context: Context, entry: MonitorEntry) -> None:
        self.create(context, entry)

    def delete(self, context: Context, name: str) -> None:
        slug, _, environment = name.partition("/")
        context.store.monitors.withdraw(
            context.organization_id, context.slug, (slug, environment), actor=context.actor
        )

    def _rows(self, context: Context) -> list[DeclaredMonitor]:
        return context.store.monitors.of_project(context.organization_id, context.slug)


def _entry(monitor: NewMonitor) -> MonitorEntry:
    values: dict[str, Any] = _values(monitor.config)
    return MonitorEntry(slug=monitor.slug, environment=monitor.environment, **values)


def _values(config: MonitorConfig) -> dict[str, Any]:
    return {**config.values, "schedule": ScheduleEntry(**config.schedule.as_json)}


KIND = Monitors()
