"""Schedules of weekly reports."""

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind
from errata.reports.schedule import WEEKDAYS, Schedule, checked
from errata.state.reports.schedules import MOST_A_PROJECT, ReportSchedule


class ScheduleEntry(Entry):
    name: str
    weekday: str = Field(json_schema_extra={"enum": list(WEEKDAYS)})
    hour: int
    time_zone: str = "UTC"
    environment: str = Field(default="", description="Empty: all.")
    recipients: list[str]
    enabled: bool = True

    @property
    def schedule(self) -> Schedule:
        return checked({**self.model_dump(exclude={"enabled"}), "is_enabled": self.enabled})


class ReportSchedules(ListKind[ScheduleEntry]):
    field = "report_schedules"
    noun = "report schedule"
    description = "Weekly performance reports by mail."
    shape = list[ScheduleEntry]
    most = MOST_A_PROJECT

    def name(self, entry: ScheduleEntry) -> str:
        return entry.name

    def stored(self, context: Context) -> list[ScheduleEntry]:
        return [_entry(row.schedule) for row in self._rows(context)]

    def checked(self, context: Context, entry: ScheduleEntry) -> ScheduleEntry:
        return _entry(entry.schedule)

    def create(self, context: Context, entry: ScheduleEntry) -> None:
        context.store.reports.schedules.create(
            context.organization_id, context.slug, entry.schedule, actor=context.actor
        )

    def change(self, context: Context, entry: ScheduleEntry) -> None:
        context.store.reports.schedules.change(
            *(context.organization_id, context.slug, self._id(context, entry.name), entry.schedule),
            actor=context.actor,
        )

    def delete(self, context: Context, name: str) -> None:
        context.store.reports.schedules.delete(
            context.organization_id, context.slug, self._id(context, name), actor=context.actor
        )

    def _id(self, context: Context, name: str) -> str:
        return next(row.id for row in self._rows(context) if row.name == name)

    def _rows(self, context: Context) -> list[ReportSchedule]:
        return context.store.reports.schedules.of_project(context.organization_id, context.slug)


def _entry(schedule: Schedule) -> ScheduleEntry:
    return ScheduleEntry(
        name=schedule.name,
        weekday=schedule.weekday,
        hour=schedule.hour,
        time_zone=schedule.time_zone,
        environment=schedule.environment,
        recipients=list(schedule.recipients),
        enabled=schedule.is_enabled,
    )


KIND = ReportSchedules()
