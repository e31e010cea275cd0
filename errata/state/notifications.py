"""Notifications: what concerns a person, until they have read it or newer ones take its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, UniqueConstraint
from sqlalchemy.types import String

from errata.state.alerts.rule import Rule
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, word
from errata.state.users import Membership, ProjectMembership, User

MOST_A_PERSON = 500
# Below every database's limit of parameters in one statement.
TOPICS_A_READ = 400
# A topic has room for it whatever the rule and the issue.
LONGEST_TEXT = 300


class Kind(StrEnum):
    ASSIGNED = "assigned"
    COMMENTED = "commented"
    REGRESSED = "regressed"
    WOKE = "woke"
    FOLLOWED_ASSIGNED = "followed_assigned"
    REOPENED = "reopened"
    ESCALATED = "escalated"
    ALERT = "alert"
    BUDGET_BREACHED = "budget_breached"
    BUDGET_RECOVERED = "budget_recovered"
    MONITOR_FAILING = "monitor_failing"
    MONITOR_MISSED = "monitor_missed"
    MONITOR_RECOVERED = "monitor_recovered"


@dataclass(frozen=True)
class NewNotification:
    """For the person with this `email` in the organization of the project; nobody else gets it.

    An unread notification of the same `topic` is replaced, and nothing older than one of the topic is added.
    `issue_id` is empty for several issues or none, `count` their number, `actor` empty where nobody did it.
    `is_mailed`: it is sent by mail, too.
    """

    email: str
    project_id: int
    kind: Kind
    topic: str
    at: datetime
    issue_id: str = ""
    rule_id: str = ""
    count: int = 1
    actor: str = ""
    title: str = ""
    detail: str = ""
    is_mailed: bool = False


class Notification(Table):
    """Of one `topic` only the latest unread one stays; `count` is that of issues. `rule_id` is empty without
    a rule, or once the rule is deleted. `mail_due_at`: when its mail is to be sent; None: it has none, or it
    was sent or given up."""

    __tablename__ = "notifications"
    # An id is never used again: it is the cursor of pages, and the last one seen.
    __table_args__ = (UniqueConstraint("user_id", "topic", "at"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    kind: Mapped[Kind] = mapped_column(word(Kind, 32))
    topic: Mapped[str] = mapped_column(String(120))
    at: Mapped[datetime]
    issue_id: Mapped[str] = mapped_column(String(16))
    rule_id: Mapped[str] = mapped_column(String(32))
    count: Mapped[int]
    actor: Mapped[str] = mapped_column(String(320))
    title: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    detail: Mapped[str] = mapped_column(String(LONGEST_TEXT))
    read_at: Mapped[datetime | None] = mapped_column(default=None)
    mail_due_at: Mapped[datetime | None] = mapped_column(index=True, default=None)
    mail_attempts: Mapped[int] = mapped_column(server_default="0")
    project_slug: str = ""
    project_name: str = ""

    @property
    def is_read(self) -> bool:
        return self.read_at is not None


@dataclass(frozen=True)
class DueMail:
    """What a person is to be mailed."""

    email: str
    attempt_count: int
    notification: Notification


class Notifications(Repository):
    def of_user(
        self, organization_id: int, user_id: int, limit: int, before_id: int | None = None
    ) -> list[Notification]:
        """Those of the organization, the latest first."""
        query = (
            _shown()
            .where(Notification.user_id == user_id, ProjectRow.organization_id == organization_id)
            .order_by(Notification.id.desc())
            .limit(limit)
        )
        if before_id is not None:
            query = query.where(Notification.id < before_id)
        with self._database.reading() as connection:
            return [_notification(row) for row in connection.execute(query)]

    def get(self, organization_id: int, user_id: int, notification_id: int) -> Notification | None:
        """One of the user's own; None if there is no such one."""
        found = self.of_user(organization_id, user_id, 1, before_id=notification_id + 1)
        return found[0] if found and found[0].id == notification_id else None

    def unread_count(self, organization_id: int, user_id: int) -> int:
        query = (
            select(func.count())
            .select_from(Notification)
            .join(ProjectRow, ProjectRow.id == Notification.project_id)
            .join(Membership, sees_project(Notification.user_id))
            .where(
                Notification.user_id == user_id,
                Notification.read_at.is_(None),
                ProjectRow.organization_id == organization_id,
            )
        )
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def mark_read(
        self, organization_id: int, user_id: int, ids: Sequence[int] = (), through_id: int = 0
    ) -> None:
        """Marks these, and those up to `through_id`: what came in after it was looked at stays unread."""
        meant = Notification.id.in_(ids) | (Notification.id <= through_id)
        of_organization = select(ProjectRow.id).where(ProjectRow.organization_id == organization_id)
        with self._database.writing() as connection:
            connection.execute(
                update(Notification)
                .where(
                    Notification.user_id == user_id,
                    Notification.read_at.is_(None),
                    Notification.project_id.in_(of_organization),
                    meant,
                )
                .values(read_at=self._database.now())
            )

    def add(self, new: Sequence[NewNotification]) -> None:
        """Adds all in one transaction. Repeated, it adds nothing more."""
        if new:
            with self._database.writing() as connection:
                self.write(connection, new)

    def write(self, connection: Connection, new: Sequence[NewNotification]) -> None:
        people = _people(connection, new)
        addressed = [(people[key], one) for one in new if (key := (one.project_id, one.email)) in people]
        addressed.sort(key=lambda pair: (pair[0], pair[1].at))
        for user_id, own in groupby(addressed, lambda pair: pair[0]):
            self._write_of(connection, user_id, [one for _, one in own][-MOST_A_PERSON:])

    def mails_due(self, limit: int = 500) -> list[DueMail]:
        """Of people who still see the project, the oldest first."""
        query = (
            _shown()
            .add_columns(User.email)
            .join(User, User.id == Notification.user_id)
            .where(Notification.mail_due_at <= self._database.now())
            .order_by(Notification.id)
            .limit(limit)
        )
        with self._database.reading() as connection:
            return [
                DueMail(row.email, row.mail_attempts, _notification(row)) for row in connection.execute(query)
            ]

    def note_mailed(self, ids: Sequence[int], next_attempt_at: datetime | None = None) -> None:
        """Records an attempt to mail these; without `next_attempt_at` it was the last."""
        with self._database.writing() as connection:
            connection.execute(
                update(Notification)
                .where(Notification.id.in_(ids))
                .values(mail_due_at=next_attempt_at, mail_attempts=Notification.mail_attempts + 1)
            )

    def forget_issues(self, deleted: Mapping[tuple[int, str], datetime]) -> None:
        """Deletes notifications of deleted issues, by project and id, up to the moment of their deletion."""
        self._forget_issues(Notification, Notification.at, deleted)

    @staticmethod
    def _write_of(connection: Connection, user_id: int, new: Sequence[NewNotification]) -> None:
        known = _latest(connection, user_id, [one.topic for one in new])
        for one in new:
            if one.topic in known and known[one.topic] >= one.at:
                continue
            known[one.topic] = one.at
            connection.execute(
                delete(Notification).where(
                    Notification.user_id == user_id,
                    Notification.topic == one.topic,
                    Notification.read_at.is_(None),
                )
            )
            connection.execute(insert(Notification).values(user_id=user_id, **_values(one)))
        oldest_kept = (
            select(Notification.id)
            .where(Notification.user_id == user_id)
            .order_by(Notification.id.desc())
            .offset(MOST_A_PERSON - 1)
            .limit(1)
            .scalar_subquery()
        )
        connection.execute(
            delete(Notification).where(Notification.user_id == user_id, Notification.id < oldest_kept)
        )


def _shown() -> Select[Any]:
    """With what a page says of each, of people who see the project."""
    return (
        select(
            Notification,
            ProjectRow.slug.label("project_slug"),
            ProjectRow.name.label("project_name"),
            Rule.id.label("known_rule_id"),
        )
        .join(ProjectRow, ProjectRow.id == Notification.project_id)
        .join(Membership, sees_project(Notification.user_id))
        .outerjoin(
            Rule,
            and_(Rule.id == Notification.rule_id, Rule.deleted_at.is_(None)),
        )
    )


def sees_project(user_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Joins the user's membership that shows the project, if there is one and the project still exists."""
    is_chosen = exists().where(
        ProjectMembership.user_id == Membership.user_id,
        ProjectMembership.project_id == ProjectRow.id,
    )
    return and_(
        Membership.user_id == user_id,
        Membership.organization_id == ProjectRow.organization_id,
        Membership.removed_at.is_(None),
        Membership.has_all_projects | is_chosen,
        ProjectRow.deleted_at.is_(None),
    )


def _people(connection: Connection, new: Sequence[NewNotification]) -> dict[tuple[int, str], int]:
    """Users by project and e-mail address: those who see the project."""
    emails = sorted({one.email for one in new})
    found: dict[tuple[int, str], int] = {}
    for start in range(0, len(emails), TOPICS_A_READ):
        query = (
            select(ProjectRow.id, User.email, User.id)
            .select_from(User)
            .join(Membership, Membership.user_id == User.id)
            .join(ProjectRow, sees_project(User.id))
            .where(
                ProjectRow.id.in_(sorted({one.project_id for one in new})),
                User.email.in_(emails[start : start + TOPICS_A_READ]),
            )
        )
        found |= {(row[0], row[1]): row[2] for row in connection.execute(query)}
    return found


def _latest(connection: Connection, user_id: int, topics: Sequence[str]) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    for start in range(0, len(topics), TOPICS_A_READ):
        query = (
            select(Notification.topic, func.max(Notification.at))
            .where(
                Notification.user_id == user_id,
                Notification.topic.in_(topics[start : start + TOPICS_A_READ]),
            )
            .group_by(Notification.topic)
        )
        found |= {row[0]: row[1] for row in connection.execute(query)}
    return found


def _values(one: NewNotification) -> dict[str, Any]:
    told = {"title": one.title[:LONGEST_TEXT], "detail": one.detail[:LONGEST_TEXT]}
    values = {**vars(one), **told, "mail_due_at": one.at if one.is_mailed else None}
    return {name: value for name, value in values.items() if name not in ("email", "is_mailed")}


def _notification(row: Row[Any]) -> Notification:
    values = {each.name: row._mapping[each.name] for each in fields(Notification)}
    return Notification(**{**values, "rule_id": row.known_rule_id or ""})
