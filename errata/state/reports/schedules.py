"""Schedules of weekly reports: project, time and receivers."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Select, func, insert, select, update

from errata.errors import InvalidParameter
from errata.reports.schedule import Schedule
from errata.state.activity_actions import Action
from errata.state.errors import ReportScheduleNotFound
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import report_schedules

MOST_A_PROJECT = 20
OF_SCHEDULE = tuple(Schedule.__dataclass_fields__)


@dataclass(frozen=True)
class ReportSchedule:
    """`changed_at`: when it was made, or its time was changed: no earlier week is due."""

    id: str
    organization_id: int
    project_id: int
    slug: str
    project_name: str
    schedule: Schedule
    created_at: datetime
    created_by: str
    changed_at: datetime


class ReportSchedules(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[ReportSchedule]:
        """Schedules in order of creation."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return _read(connection, _kept().where(report_schedules.c.project_id == project_id))

    def get(self, organization_id: int, slug: str, schedule_id: str) -> ReportSchedule:
        with self._database.reading() as connection:
            return self._report_schedule(connection, organization_id, slug, schedule_id)

    def enabled(self) -> list[ReportSchedule]:
        """Enabled schedules of every organization."""
        with self._database.reading() as connection:
            return _read(connection, _kept().where(report_schedules.c.is_enabled))

    def create(self, organization_id: int, slug: str, new: Schedule, *, actor: str) -> ReportSchedule:
        schedule_id, now = uuid4().hex, self._database.now()
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            counted = select(func.count()).where(
                report_schedules.c.project_id == project_id, report_schedules.c.deleted_at.is_(None)
            )
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} report schedules")
            connection.execute(
                insert(report_schedules).values(
                    id=schedule_id,
                    project_id=project_id,
                    created_at=now,
                    created_by=actor,
                    changed_at=now,
                    **_stored(new),
                )
            )
            self._record(
                connection, organization_id, Action.REPORT_SCHEDULE_CREATED, actor=actor, subject=new.name
            )
            return self._report_schedule(connection, organization_id, slug, schedule_id)

    def change(
        self, organization_id: int, slug: str, schedule_id: str, new: Schedule, *, actor: str
    ) -> ReportSchedule:
        with self._database.writing() as connection:
            before = self._report_schedule(connection, organization_id, slug, schedule_id)
            moved = _moment(before.schedule) != _moment(new)
            changed_at = self._database.now() if moved else before.changed_at
            connection.execute(
                update(report_schedules)
                .where(report_schedules.c.id == schedule_id)
                .values(changed_at=changed_at, **_stored(new))
            )
            self._record(
                connection, organization_id, Action.REPORT_SCHEDULE_CHANGED, actor=actor, subject=new.name
            )
            return self._report_schedule(connection, organization_id, slug, schedule_id)

    def delete(self, organization_id: int, slug: str, schedule_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            found = self._report_schedule(connection, organization_id, slug, schedule_id)
            connection.execute(
                update(report_schedules)
                .where(report_schedules.c.id == schedule_id)
                .values(deleted_at=self._database.now())
            )
            self._record(
                connection,
                organization_id,
                Action.REPORT_SCHEDULE_DELETED,
                actor=actor,
                subject=found.schedule.name,
            )

    def _report_schedule(
        self, connection: Connection, organization_id: int, slug: str, schedule_id: str
    ) -> ReportSchedule:
        project_id = self._project_id(connection, organization_id, slug)
        wanted = _kept().where(
            report_schedules.c.project_id == project_id, report_schedules.c.id == schedule_id
        )
        for found in _read(connection, wanted):
            return found
        raise ReportScheduleNotFound(schedule_id)


def report_schedule_of(row: Mapping[Any, Any]) -> ReportSchedule:
    known = {name: row[name] for name in OF_SCHEDULE}
    return ReportSchedule(
        id=row["id"],
        organization_id=row["organization_id"],
        project_id=row["project_id"],
        slug=row["slug"],
        project_name=row["project_name"],
        schedule=Schedule(**known | {"recipients": tuple(json.loads(row["recipients"]))}),
        created_at=row["created_at"],
        created_by=row["created_by"],
        changed_at=row["changed_at"],
    )


def _kept() -> Select[Any]:
    return (
        select(
            report_schedules,
            ProjectRow.organization_id,
            ProjectRow.slug,
            ProjectRow.name.label("project_name"),
        )
        .join(ProjectRow, ProjectRow.id == report_schedules.c.project_id)
        .where(report_schedules.c.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
        .order_by(report_schedules.c.created_at, report_schedules.c.id)
    )


def _read(connection: Connection, query: Select[Any]) -> list[ReportSchedule]:
    return [report_schedule_of(row) for row in connection.execute(query).mappings()]


def _stored(schedule: Schedule) -> dict[str, Any]:
    return asdict(schedule) | {"recipients": json.dumps(schedule.recipients)}


def _moment(schedule: Schedule) -> tuple[object, ...]:
    return schedule.weekday, schedule.hour, schedule.time_zone, schedule.is_enabled
