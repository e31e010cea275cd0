"""The form of a weekly report."""

from dataclasses import dataclass

from dashboards.shared.form import Form
from errata.reports.schedule import Schedule, checked

USUAL_HOUR = 8


@dataclass(frozen=True)
class ScheduleFields:
    """The fields of the form."""

    name: str = ""
    weekday: str = "monday"
    hour: str = str(USUAL_HOUR)
    time_zone: str = "UTC"
    environment: str = ""
    recipients: str = ""
    is_enabled: bool = True

    @classmethod
    def from_schedule(cls, schedule: Schedule) -> "ScheduleFields":
        return cls(
            schedule.name,
            schedule.weekday,
            str(schedule.hour),
            schedule.time_zone,
            schedule.environment,
            ", ".join(schedule.recipients),
            schedule.is_enabled,
        )

    @classmethod
    def from_form(cls, form: Form) -> "ScheduleFields":
        return cls(
            form["name"],
            form["weekday"],
            form["hour"],
            form["time_zone"],
            form["environment"],
            form["recipients"],
            form["is_enabled"] == "yes",
        )


def schedule_from(form: Form) -> Schedule:
    """Raises InvalidParameter."""
    return checked({**vars(ScheduleFields.from_form(form)), "hour": form.number("hour", USUAL_HOUR)})
