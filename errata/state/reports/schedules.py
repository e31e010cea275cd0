"""Schedules of weekly reports: project, time and receivers."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Select, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.reports.schedule import Schedule
from errata.state.activity_actions import Action
from errata.state.errors import ReportScheduleNotFound
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import JsonTuple, Table, objects

MOST_A_PROJECT = 20


class ReportSchedule(Table):
    """`changed_at`: when it was made, or its time was changed: no earlier week is due."""

    __tablename__ = "report_schedules"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    weekday: Mapped[str] = mapped_column(String(16))
    hour: Mapped[int]
    time_zone: Mapped[str] = mapped_column(String(64))
    environment: Mapped[str] = mapped_column(String(64))
    recipients: Mapped[tuple[str, ...]] = mapped_column(JsonTuple)
    is_enabled: Mapped[bool]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    changed_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None] = mapped_column(default=None)
    organization_id: int = 0
    slug: str = ""
    project_name: str = ""

    @property
    def schedule(self) -> Schedule:
        return Schedule(**{name: getattr(self, name) for name in Schedule.__dataclass_fields__})


class ReportSchedules(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[ReportSchedule]:
        """Schedules in order of creation."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return _read(connection, _kept().where(ReportSchedule.project_id == project_id))

    def get(self, organization_id: int, slug: str, schedule_id: str) -> ReportSchedule:
        with self._database.reading() as connection:
            return self._report_schedule(connection, organization_id, slug, schedule_id)

    def enabled(self) -> list[ReportSchedule]:
        """Enabled schedules of every organization."""
        with self._database.reading() as connection:
            return _read(connection, _kept().where(ReportSchedule.is_enabled))

    def create(self, organization_id: int, slug: str, new: Schedule, *, actor: str) -> ReportSchedule:
        schedule_id, now = uuid4().hex, self._database.now()
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            counted = select(func.count()).where(
                ReportSchedule.project_id == project_id, ReportSchedule.deleted_at.is_(None)
            )
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("name", f"a project has at most {MOST_A_PROJECT} report schedules")
            connection.execute(
                insert(ReportSchedule).values(
                    id=schedule_id,
                    project_id=project_id,
                    created_at=now,
                    created_by=actor,
                    changed_at=now,
                    **asdict(new),
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
                update(ReportSchedule)
                .where(ReportSchedule.id == schedule_id)
                .values(changed_at=changed_at, **asdict(new))
            )
            self._record(
                connection, organization_id, Action.REPORT_SCHEDULE_CHANGED, actor=actor, subject=new.name
            )
            return self._report_schedule(connection, organization_id, slug, schedule_id)

    def delete(self, organization_id: int, slug: str, schedule_id: str, *, actor: str) -> None:
        with self._database.writing() as connection:
            found = self._report_schedule(connection, organization_id, slug, schedule_id)
            connection.execute(
                update(ReportSchedule)
                .where(ReportSchedule.id == schedule_id)
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
        wanted = _kept().where(ReportSchedule.project_id == project_id, ReportSchedule.id == schedule_id)
        for found in _read(connection, wanted):
            return found
        raise ReportScheduleNotFound(schedule_id)


def _kept() -> Select[Any]:
    return (
        select(
            ReportSchedule,
            ProjectRow.organization_id,
            ProjectRow.slug,
            ProjectRow.name.label("project_name"),
        )
        .join(ProjectRow, ProjectRow.id == ReportSchedule.project_id)
        .where(ReportSchedule.deleted_at.is_(None), ProjectRow.deleted_at.is_(None))
        .order_by(ReportSchedule.created_at, ReportSchedule.id)
    )


def _read(connection: Connection, query: Select[Any]) -> list[ReportSchedule]:
    return objects(ReportSchedule, connection.execute(query))


def _moment(schedule: Schedule) -> tuple[object, ...]:
    return schedule.weekday, schedule.hour, schedule.time_zone, schedule.is_enabled
