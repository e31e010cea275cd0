"""Erasures in the state store: the sealed subject of a running one, and texts that name a subject."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    case,
    delete,
    func,
    or_,
    select,
    true,
    type_coerce,
    update,
)
from sqlalchemy.sql.expression import SQLColumnExpression

from errata.state.activity_actions import Action
from errata.state.alerts.firings import Firing
from errata.state.alerts.messages import Message
from errata.state.alerts.notice import NoticeRow
from errata.state.alerts.rule import Rule
from errata.state.attempts import WAITING
from errata.state.database import Database
from errata.state.errors import SecretUnreadable
from errata.state.monitors import DeclaredMonitor
from errata.state.notifications import Notification
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.saved_searches import SavedSearch
from errata.state.sealed_secrets import SealedSecrets
from errata.state.share_links import ShareLink
from errata.state.subscriptions import Subscription
from errata.state.tracker_links import TrackerLink

PURPOSE = "erasure"
ERASED = "Erased"
MOST_NAMED = 500


@dataclass(frozen=True)
class Named:
    """What to look for in a project: issues by their address, events, and texts."""

    project_id: int
    issues: Collection[str] = ()
    texts: Collection[str] = ()
    is_erased_event: Callable[[Collection[str]], Collection[str]] = lambda ids: ()
    """Which of these event ids were erased."""
    retitled: Collection[str] = ()
    """Issues whose former title was the subject's."""
    is_whole: bool = False
    """The whole project."""


class Erasures(Repository):
    def __init__(self, database: Database, secret: bytes, secrets: SealedSecrets) -> None:
        super().__init__(database, secret)
        self._secrets = secrets

    def person_hash(self, kind: str, value: str) -> str:
        """The keyed hash by which a receipt knows a person."""
        return self._hash(f"erasure\0{kind}\0{value}")[:32]

    def ask(self, organization_id: int, actor: str, subject: str, sealed: dict[str, str] | None) -> str:
        """Records in the activity log that an erasure was asked for; `sealed` is kept until `forget_subject`.
        Returns its id; empty without one."""
        with self._database.writing() as connection:
            self._record(connection, organization_id, Action.ERASURE_ASKED, actor=actor, subject=subject)
            if sealed is None:
                return ""
            text = json.dumps(sealed)
            return self._secrets.keep(connection, organization_id, PURPOSE, text)

    def subject(self, organization_id: int, sealed_id: str) -> dict[str, str] | None:
        """The sealed subject; None once it was forgotten."""
        try:
            opened = self._secrets.open(organization_id, sealed_id)
        except SecretUnreadable:
            return None
        kept: dict[str, str] = json.loads(opened.get_secret_value())
        return kept

    def complete(self, organization_id: int, sealed_id: str, subject: str) -> None:
        """Forgets the subject, and records that the rows are gone."""
        with self._database.writing() as connection:
            if sealed_id:
                self._secrets.drop(connection, organization_id, sealed_id)
            self._record(connection, organization_id, Action.ERASURE_ROWS_REMOVED, actor="", subject=subject)

    def organization_of(self, project_id: int) -> tuple[int, bool] | None:
        """The organization of a project, and whether the project was deleted."""
        query = select(ProjectRow.organization_id, ProjectRow.deleted_at).where(ProjectRow.id == project_id)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.organization_id, row.deleted_at is not None)

    def remove_texts(self, named: Named) -> dict[str, int]:
        """Removes or empties what names an erased issue, event or person; returns how many rows by place."""
        with self._database.writing() as connection:
            rules = select(Rule.id).where(Rule.project_id == named.project_id)
            counts = {
                "share_links": _share_links(connection, named),
                "alert_firings": _emptied(
                    connection,
                    Firing,
                    named,
                    ("title", "culprit"),
                    Firing.rule_id.in_(rules),
                    Firing.issue_id,
                ),
                "notifications": _emptied(
                    connection,
                    Notification,
                    named,
                    ("title", "detail"),
                    Notification.project_id == named.project_id,
                    Notification.issue_id,
                ),
                "alert_messages": _messages(connection, named),
                "linked_issues": _tracker_links(connection, named),
                "subscriptions": _subscriptions(connection, named),
                "declared_monitors": _declared_monitors(connection, named),
                "saved_searches": _saved_searches(connection, named),
            }
        return {place: count for place, count in counts.items() if count}


def _share_links(connection: Connection, named: Named) -> int:
    of_project = ShareLink.project_id == named.project_id
    if named.is_whole:
        return connection.execute(delete(ShareLink).where(of_project)).rowcount
    rows = connection.execute(
        select(ShareLink.id, ShareLink.issue_id, ShareLink.event_id).where(of_project)
    ).all()
    events = named.is_erased_event([row.event_id for row in rows if row.event_id])
    gone = [row.id for row in rows if row.issue_id in named.issues or row.event_id in events]
    for first in range(0, len(gone), MOST_NAMED):
        some = gone[first : first + MOST_NAMED]
        connection.execute(delete(ShareLink).where(ShareLink.id.in_(some)))
    return len(gone)


def _emptied(
    connection: Connection,
    table: type[Firing | Notification],
    named: Named,
    columns: Collection[str],
    of_project: ColumnElement[bool],
    issue_id: SQLColumnExpression[str],
) -> int:
    """Empties texts of rows about the issues, or with one of the texts."""
    count = 0
    for condition in _conditions(named, [getattr(table, name) for name in columns], issue_id):
        values = {name: ERASED if name == "title" else "" for name in columns}
        changed = connection.execute(
            update(table).where(of_project, condition, table.title != ERASED).values(**values)
        )
        count += changed.rowcount
    return count


def _messages(connection: Connection, named: Named) -> int:
    """Messages are kept with an empty content: they count for hourly limits."""
    of_project = Message.project_id == named.project_id
    about = (
        select(NoticeRow.message_id)
        .join(Firing, Firing.id == NoticeRow.firing_id)
        .where(Firing.title == ERASED)
    )
    conditions: list[ColumnElement[bool]] = [Message.id.in_(about)]
    conditions += _containing([Message.subject, type_coerce(Message.content, Text)], named.texts)
    if named.is_whole:
        conditions = [true()]
    status = Message.status
    ended = case((status == WAITING, "failed"), else_=status)
    count = 0
    # One by one: a person may have more texts than a statement takes.
    for condition in conditions:
        changed = connection.execute(
            update(Message)
            .where(of_project, condition, Message.subject != ERASED)
            # One that waits would be sent without its content.
            .values(subject=ERASED, content={}, status=ended, answer="")
        )
        count += changed.rowcount
    return count


def _tracker_links(connection: Connection, named: Named) -> int:
    """Links of erased issues. The issue in the tracker is the tracker's: erase it there."""
    of_project = TrackerLink.project_id == named.project_id
    about = [true()] if named.is_whole else _of_issues(TrackerLink.issue_id, named.issues)
    count = sum(connection.execute(delete(TrackerLink).where(of_project, some)).rowcount for some in about)
    for one in _containing([TrackerLink.title], named.texts):
        changed = connection.execute(update(TrackerLink).where(of_project, one).values(title=ERASED))
        count += changed.rowcount
    return count


def _subscriptions(connection: Connection, named: Named) -> int:
    of_project = Subscription.project_id == named.project_id
    about = [true()] if named.is_whole else _of_issues(Subscription.issue_id, named.issues)
    return sum(connection.execute(delete(Subscription).where(of_project, some)).rowcount for some in about)


def _declared_monitors(connection: Connection, named: Named) -> int:
    """Of the whole project alone: no issue, event or person is named."""
    if not named.is_whole:
        return 0
    of_project = DeclaredMonitor.project_id == named.project_id
    return connection.execute(delete(DeclaredMonitor).where(of_project)).rowcount


def _saved_searches(connection: Connection, named: Named) -> int:
    of_project = SavedSearch.project_id == named.project_id
    if named.is_whole:
        return connection.execute(delete(SavedSearch).where(of_project)).rowcount
    count = 0
    for one in _containing([SavedSearch.query, SavedSearch.name], named.texts):
        count += connection.execute(delete(SavedSearch).where(of_project, one)).rowcount
    return count


def _conditions(
    named: Named, columns: Collection[SQLColumnExpression[str]], issue_id: SQLColumnExpression[str]
) -> list[ColumnElement[bool]]:
    if named.is_whole:
        return [true()]
    about = _of_issues(issue_id, {*named.issues, *named.retitled})
    return [*about, *_containing(columns, named.texts)]


def _of_issues(issue_id: SQLColumnExpression[str], issues: Collection[str]) -> list[ColumnElement[bool]]:
    """Conditions that a database takes: each names some of the issues."""
    listed = sorted(issues)
    return [issue_id.in_(listed[first : first + MOST_NAMED]) for first in range(0, len(listed), MOST_NAMED)]


def _containing(
    columns: Collection[SQLColumnExpression[str]], texts: Collection[str]
) -> list[ColumnElement[bool]]:
    """A condition for each text: no pattern, so that a text of wildcards finds itself alone. It is found as
    JSON spells it, too. SQLite ignores the case of ASCII letters alone, and finds others as they are."""
    return [
        or_(
            *(
                found
                for column in columns
                for spelled in (text, json.dumps(text)[1:-1])
                for found in (
                    column.contains(spelled, autoescape=True),
                    func.lower(column).contains(spelled.lower(), autoescape=True),
                )
            )
        )
        for text in sorted(texts)
    ]
