"""Mails of weekly reports, sent or waiting: one a schedule and week.

A mail that was begun and not ended may have arrived: it is never sent again by itself.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Select, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from errata.state.attempts import WAITING, attempted
from errata.state.errors import ReportMailNotFound
from errata.state.project import ProjectRow
from errata.state.reports.schedules import ReportSchedule, report_schedule_of
from errata.state.repository import Repository
from errata.state.tables import report_mails, report_schedules

# After a node was killed while printing, the mail stays claimed for this long.
CLAIMED_FOR = timedelta(minutes=5)
SENDING, SENT, FAILED, UNKNOWN = "sending", "sent", "failed", "unknown"
INTERRUPTED = "the service stopped while sending; the mail may have arrived"


@dataclass(frozen=True)
class ReportMail:
    """`id` stays the same over all attempts: mail servers and readers recognize a repetition."""

    id: str
    of: ReportSchedule
    week: date
    recipients: tuple[str, ...]
    created_at: datetime
    status: str
    next_attempt_at: datetime
    attempt_count: int
    ended_at: datetime | None
    answer: str


class ReportMails(Repository):
    def plan(self, of: ReportSchedule, week: date) -> bool:
        """Plans the mail of a week; False if it exists already."""
        now = self._database.now()
        row = {
            "id": uuid4().hex,
            "schedule_id": of.id,
            "week": week,
            "recipients": json.dumps(of.schedule.recipients),
            "created_at": now,
            "status": WAITING,
            "next_attempt_at": now,
            "attempt_count": 0,
            "answer": "",
        }
        known = select(report_mails.c.id).where(
            report_mails.c.schedule_id == of.id, report_mails.c.week == week
        )
        try:
            with self._database.writing() as connection:
                if connection.execute(known).first() is not None:
                    return False
                connection.execute(insert(report_mails).values(row))
        except IntegrityError:
            return False
        return True

    def due(self) -> list[ReportMail]:
        """Due mails. Those of deleted schedules are not due."""
        query = _mails().where(
            report_mails.c.status == WAITING,
            report_mails.c.next_attempt_at <= self._database.now(),
            report_schedules.c.deleted_at.is_(None),
            report_schedules.c.is_enabled,
        )
        return self._report_mails(query.order_by(report_mails.c.next_attempt_at, report_mails.c.id))

    def claim(self, mail: ReportMail) -> bool:
        """Claims a mail; of two nodes only one succeeds."""
        return self._change(
            mail,
            WAITING,
            (report_mails.c.next_attempt_at == mail.next_attempt_at,),
            next_attempt_at=self._database.now() + CLAIMED_FOR,
        )

    def begin(self, mail: ReportMail) -> bool:
        """Marks the beginning of sending: from here on the mail may have arrived."""
        return self._change(mail, WAITING, (), status=SENDING)

    def note_answer(
        self, mail: ReportMail, answer: str, status: str, next_attempt_at: datetime | None = None
    ) -> None:
        noted = attempted(report_mails, mail.id, answer, status, self._database.now(), next_attempt_at)
        with self._database.writing() as connection:
            connection.execute(noted.where(report_mails.c.status.in_([WAITING, SENDING])))

    def note_interrupted(self) -> int:
        """Records mails that a node began to send and will not complete."""
        now = self._database.now()
        with self._database.writing() as connection:
            return connection.execute(
                update(report_mails)
                .where(report_mails.c.status == SENDING, report_mails.c.next_attempt_at < now)
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
        query = _mails().where(report_schedules.c.project_id == project_id)
        newest = query.order_by(report_mails.c.created_at.desc(), report_mails.c.id).limit(limit)
        return self._report_mails(newest)

    def latest_by_schedule(self, organization_id: int, slug: str) -> dict[str, ReportMail]:
        """For each schedule of a project the mail of its latest week, by the id of the schedule."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
        of, week = report_mails.c.schedule_id, report_mails.c.week
        latest = select(of.label("of"), func.max(week).label("week")).group_by(of).subquery()
        query = _mails().join(latest, and_(latest.c.of == of, latest.c.week == week))
        found = self._report_mails(query.where(report_schedules.c.project_id == project_id))
        return {mail.of.id: mail for mail in found}

    def _change(self, mail: ReportMail, was: str, more: Sequence[Any], **values: Any) -> bool:
        """Updates a mail; False if another node was faster."""
        with self._database.writing() as connection:
            changed = connection.execute(
                update(report_mails)
                .where(
                    report_mails.c.id == mail.id,
                    report_mails.c.status == was,
                    report_mails.c.attempt_count == mail.attempt_count,
                    *more,
                )
                .values(**values)
            )
            return bool(changed.rowcount)

    def _report_mails(self, query: Select[Any]) -> list[ReportMail]:
        with self._database.reading() as connection:
            return [_mail(row) for row in connection.execute(query).mappings()]


def _mails() -> Select[Any]:
    mail = [column.label(f"mail_{column.name}") for column in report_mails.c]
    project = (ProjectRow.organization_id, ProjectRow.slug, ProjectRow.name.label("project_name"))
    return (
        select(*mail, report_schedules, *project)
        .join(report_schedules, report_schedules.c.id == report_mails.c.schedule_id)
        .join(ProjectRow, ProjectRow.id == report_schedules.c.project_id)
    )


def _mail(row: Any) -> ReportMail:
    return ReportMail(
        id=row["mail_id"],
        of=report_schedule_of(row),
        week=row["mail_week"],
        recipients=tuple(json.loads(row["mail_recipients"])),
        created_at=row["mail_created_at"],
        status=row["mail_status"],
        next_attempt_at=row["mail_next_attempt_at"],
        attempt_count=row["mail_attempt_count"],
        ended_at=row["mail_ended_at"],
        answer=row["mail_answer"],
    )
