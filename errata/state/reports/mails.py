"""Mails of weekly reports, sent or waiting: one a schedule and week.

A mail that was begun and not ended may have arrived: it is never sent again by itself.
"""

from collections.abc import Sequence
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import RowMapping, Select, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, Index, UniqueConstraint

from errata.state.attempts import WAITING, OutboxRow, attempted
from errata.state.errors import ReportMailNotFound
from errata.state.project import ProjectRow
from errata.state.reports.schedules import ReportSchedule
from errata.state.repository import Repository
from errata.state.table import JsonTuple

# After a node was killed while printing, the mail stays claimed for this long.
CLAIMED_FOR = timedelta(minutes=5)
SENDING, SENT, FAILED, UNKNOWN = "sending", "sent", "failed", "unknown"
INTERRUPTED = "the service stopped while sending; the mail may have arrived"


class ReportMail(OutboxRow):
    """One a schedule and week: the first node to write it has the week."""

    __tablename__ = "report_mails"
    __table_args__ = (
        UniqueConstraint("schedule_id", "week"),
        Index("ix_report_mails_status_next_attempt_at", "status", "next_attempt_at"),
    )

    schedule_id: Mapped[str] = mapped_column(ForeignKey("report_schedules.id"))
    week: Mapped[date]
    recipients: Mapped[tuple[str, ...]] = mapped_column(JsonTuple)
    of: ReportSchedule


class ReportMails(Repository):
    def plan(self, of: ReportSchedule, week: date) -> bool:
        """Plans the mail of a week; False if it exists already."""
        now = self._database.now()
        row = {"id": uuid4().hex, "schedule_id": of.id, "week": week, "recipients": of.recipients}
        moments = {"created_at": now, "next_attempt_at": now}
        known = select(ReportMail.id).where(ReportMail.schedule_id == of.id, ReportMail.week == week)
        try:
            with self._database.writing() as connection:
                if connection.execute(known).first() is not None:
                    return False
                connection.execute(insert(ReportMail).values(**row, **moments))
        except IntegrityError:
            return False
        return True

    def due(self) -> list[ReportMail]:
        """Due mails. Those of deleted schedules are not due."""
        query = _mails().where(
            ReportMail.status == WAITING,
            ReportMail.next_attempt_at <= self._database.now(),
            ReportSchedule.deleted_at.is_(None),
            ReportSchedule.is_enabled,
        )
        return self._report_mails(query.order_by(ReportMail.next_attempt_at, ReportMail.id))

    def claim(self, mail: ReportMail) -> bool:
        """Claims a mail; of two nodes only one succeeds."""
        return self._change(
            mail,
            WAITING,
            (ReportMail.next_attempt_at == mail.next_attempt_at,),
            next_attempt_at=self._database.now() + CLAIMED_FOR,
        )

    def begin(self, mail: ReportMail) -> bool:
        """Marks the beginning of sending: from here on the mail may have arrived."""
        return self._change(mail, WAITING, (), status=SENDING)

    def note_answer(
        self, mail: ReportMail, answer: str, status: str, next_attempt_at: datetime | None = None
    ) -> None:
        noted = attempted(ReportMail, mail.id, answer, status, self._database.now(), next_attempt_at)
        with self._database.writing() as connection:
            connection.execute(noted.where(ReportMail.status.in_([WAITING, SENDING])))

    def note_interrupted(self) -> int:
        """Records mails that a node began to send and will not complete."""
        now = self._database.now()
        with self._database.writing() as connection:
            return connection.execute(
                update(ReportMail)
                .where(ReportMail.status == SENDING, ReportMail.next_attempt_at < now)
                .values(status=UNKNOWN, answer=INTERRUPTED, ended_at=now)
            ).rowcount

    def send_again(self, organization_id: int, slug: str, mail_id: str) -> None:
        """Sends a failed or doubtful mail again, when a person asks for it."""
        for mail in self.of_project(organization_id, slug):
            if mail.id == mail_id and mail.status in (FAILED, UNKNOWN):
                now = self._database.now()
                self._change(
                    mail, mail.status, (), status=WAITING, next_attempt_at=now, created_at=now, ended_at=None
                )
                return
        raise ReportMailNotFound(mail_id)

    def of_project(self, organization_id: int, slug: str, limit: int = 50) -> list[ReportMail]:
        """Mails of a project, the newest first, including deleted schedules."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
        query = _mails().where(ReportSchedule.project_id == project_id)
        newest = query.order_by(ReportMail.created_at.desc(), ReportMail.id).limit(limit)
        return self._report_mails(newest)

    def latest_by_schedule(self, organization_id: int, slug: str) -> dict[str, ReportMail]:
        """For each schedule of a project the mail of its latest week, by the id of the schedule."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
        of, week = ReportMail.schedule_id, ReportMail.week
        latest = select(of.label("of"), func.max(week).label("week")).group_by(of).subquery()
        query = _mails().join(latest, and_(latest.c.of == of, latest.c.week == week))
        found = self._report_mails(query.where(ReportSchedule.project_id == project_id))
        return {mail.of.id: mail for mail in found}

    def _change(self, mail: ReportMail, was: str, more: Sequence[Any], **values: Any) -> bool:
        """Updates a mail; False if another node was faster."""
        with self._database.writing() as connection:
            changed = connection.execute(
                update(ReportMail)
                .where(
                    ReportMail.id == mail.id,
                    ReportMail.status == was,
                    ReportMail.attempt_count == mail.attempt_count,
                    *more,
                )
                .values(**values)
            )
            return bool(changed.rowcount)

    def _report_mails(self, query: Select[Any]) -> list[ReportMail]:
        with self._database.reading() as connection:
            return [_mail(row) for row in connection.execute(query).mappings()]


def _mails() -> Select[Any]:
    mail = [column.label(f"mail_{column.name}") for column in ReportMail.__table__.columns]
    project = (ProjectRow.organization_id, ProjectRow.slug, ProjectRow.name.label("project_name"))
    return (
        select(*mail, ReportSchedule, *project)
        .join(ReportSchedule, ReportSchedule.id == ReportMail.schedule_id)
        .join(ProjectRow, ProjectRow.id == ReportSchedule.project_id)
    )


def _mail(row: RowMapping) -> ReportMail:
    mail = {column.name: row[f"mail_{column.name}"] for column in ReportMail.__table__.columns}
    schedule = {each.name: row[each.name] for each in fields(ReportSchedule)}
    return ReportMail(**mail, of=ReportSchedule(**schedule))
