"""What people note on the charts of a project: a moment, or a span of time, and one line of text."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from errata.errors import InvalidParameter
from errata.one_line import is_one_line
from errata.state.errors import AnnotationNotFound
from errata.state.repository import Repository
from errata.state.tables import annotations, users

LONGEST_TEXT = 120
MOST_A_PROJECT = 200
EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
# Planned events may be noted in advance.
AHEAD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class Note:
    """`until` is None for a moment."""

    text: str
    at: datetime
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """`author` is the e-mail address of the user who wrote it."""

    id: str
    note: Note
    author: str
    created_at: datetime
    changed_at: datetime


class Annotations(Repository):
    def of_project(
        self, organization_id: int, slug: str, since: datetime, until: datetime
    ) -> list[Annotation]:
        """Those with a moment in the range, in order of time."""
        with self._database.reading() as connection:
            return self._found(
                connection, self._project_id(connection, organization_id, slug), *_within(since, until)
            )

    def all_of_project(self, organization_id: int, slug: str) -> list[Annotation]:
        """In order of time."""
        with self._database.reading() as connection:
            return self._found(connection, self._project_id(connection, organization_id, slug))

    def write(self, organization_id: int, slug: str, user_id: int, note: Note) -> Annotation:
        note = _checked(note, self._database.now())
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            counted = select(func.count()).where(annotations.c.project_id == project_id)
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("text", f"a project has at most {MOST_A_PROJECT} annotations")
            annotation_id, now = uuid4().hex, self._database.now()
            connection.execute(
                insert(annotations).values(
                    id=annotation_id,
                    project_id=project_id,
                    user_id=user_id,
                    created_at=now,
                    changed_at=now,
                    text=note.text,
                    at=note.at,
                    until=note.until,
                )
            )
            return self._one(connection, project_id, annotation_id)

    def change(
        self,
        organization_id: int,
        slug: str,
        user_id: int,
        annotation_id: str,
        note: Note,
        *,
        is_owner: bool,
    ) -> Annotation:
        """Changes the user's own annotation; an owner of the organization may change any."""
        note = _checked(note, self._database.now())
        values = {"text": note.text, "at": note.at, "until": note.until}
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            changed = connection.execute(
                update(annotations)
                .where(*_changeable(project_id, user_id, annotation_id, is_owner))
                .values(changed_at=self._database.now(), **values)
            )
            if not changed.rowcount:
                raise AnnotationNotFound
            return self._one(connection, project_id, annotation_id)

    def delete(
        self, organization_id: int, slug: str, user_id: int, annotation_id: str, *, is_owner: bool
    ) -> None:
        """Deletes the user's own annotation; an owner of the organization may delete any."""
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            deleted = connection.execute(
                delete(annotations).where(*_changeable(project_id, user_id, annotation_id, is_owner))
            )
            if not deleted.rowcount:
                raise AnnotationNotFound

    def _one(self, connection: Connection, project_id: int, annotation_id: str) -> Annotation:
        [found] = self._found(connection, project_id, annotations.c.id == annotation_id)
        return found

    @staticmethod
    def _found(connection: Connection, project_id: int, *conditions: ColumnElement[bool]) -> list[Annotation]:
        rows = connection.execute(
            select(annotations, users.c.email)
            .join(users, users.c.id == annotations.c.user_id)
            .where(annotations.c.project_id == project_id, *conditions)
            .order_by(annotations.c.at, annotations.c.id)
        )
        return [
            Annotation(row.id, Note(row.text, row.at, row.until), row.email, row.created_at, row.changed_at)
            for row in rows
        ]


def _within(since: datetime, until: datetime) -> tuple[ColumnElement[bool], ...]:
    ends_after = or_(annotations.c.at >= since, annotations.c.until > since)
    return annotations.c.at < until, ends_after


def _changeable(
    project_id: int, user_id: int, annotation_id: str, is_owner: bool
) -> tuple[ColumnElement[bool], ...]:
    wanted = annotations.c.id == annotation_id, annotations.c.project_id == project_id
    return wanted if is_owner else (*wanted, annotations.c.user_id == user_id)


def _checked(note: Note, now: datetime) -> Note:
    """Raises InvalidParameter."""
    text = note.text.strip()
    if not 0 < len(text) <= LONGEST_TEXT or not is_one_line(text):
        raise InvalidParameter("text", f"1 to {LONGEST_TEXT} characters on one line")
    if not EARLIEST <= note.at <= now + AHEAD:
        raise InvalidParameter("at", "a moment after 1999 and at most a year ahead")
    if note.until is not None and not note.at < note.until <= now + AHEAD:
        raise InvalidParameter("until", "a moment after the first one and at most a year ahead")
    return Note(text, note.at, note.until)
