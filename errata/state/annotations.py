"""What people note on the charts of a project: a moment, or a span of time, and one line of text."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey, Index
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.one_line import is_one_line
from errata.state.errors import AnnotationNotFound
from errata.state.repository import Repository
from errata.state.table import Table, objects
from errata.state.users import User

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


class Annotation(Table):
    """`author` is the e-mail address of the user who wrote it."""

    __tablename__ = "annotations"
    __table_args__ = (Index("ix_annotations_project_id_at", "project_id", "at"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    at: Mapped[datetime]
    until: Mapped[datetime | None] = mapped_column(default=None)
    text: Mapped[str] = mapped_column(String(120))
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    author: str = ""

    @property
    def note(self) -> Note:
        return Note(self.text, self.at, self.until)


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
            counted = select(func.count()).where(Annotation.project_id == project_id)
            if connection.execute(counted).scalar_one() >= MOST_A_PROJECT:
                raise InvalidParameter("text", f"a project has at most {MOST_A_PROJECT} annotations")
            annotation_id, now = uuid4().hex, self._database.now()
            values = {"id": annotation_id, "user_id": user_id, "created_at": now, "changed_at": now}
            connection.execute(insert(Annotation).values(project_id=project_id, **values, **asdict(note)))
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
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            changed = connection.execute(
                update(Annotation)
                .where(*_changeable(project_id, user_id, annotation_id, is_owner))
                .values(changed_at=self._database.now(), **asdict(note))
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
                delete(Annotation).where(*_changeable(project_id, user_id, annotation_id, is_owner))
            )
            if not deleted.rowcount:
                raise AnnotationNotFound

    def _one(self, connection: Connection, project_id: int, annotation_id: str) -> Annotation:
        [found] = self._found(connection, project_id, Annotation.id == annotation_id)
        return found

    @staticmethod
    def _found(connection: Connection, project_id: int, *conditions: ColumnElement[bool]) -> list[Annotation]:
        query = (
            select(Annotation, User.email.label("author"))
            .join(User, User.id == Annotation.user_id)
            .where(Annotation.project_id == project_id, *conditions)
            .order_by(Annotation.at, Annotation.id)
        )
        return objects(Annotation, connection.execute(query))


def _within(since: datetime, until: datetime) -> tuple[ColumnElement[bool], ...]:
    ends_after = or_(Annotation.at >= since, Annotation.until > since)
    return Annotation.at < until, ends_after


def _changeable(
    project_id: int, user_id: int, annotation_id: str, is_owner: bool
) -> tuple[ColumnElement[bool], ...]:
    wanted = Annotation.id == annotation_id, Annotation.project_id == project_id
    return wanted if is_owner else (*wanted, Annotation.user_id == user_id)


def _checked(note: Note, now: datetime) -> Note:
    """Raises InvalidParameter."""
    text = note.text.strip()
    if not 0 < len(text) <= LONGEST_TEXT or not is_one_line(text):
        raise InvalidParameter("text", f"1 to {LONGEST_TEXT} characters on one line")
    if not EARLIEST <= note.at <= now + AHEAD:
        raise InvalidParameter("at", "a time after 1999 and at most a year ahead")
    if note.until is not None and not note.at < note.until <= now + AHEAD:
        raise InvalidParameter("until", "a time after the first one and at most a year ahead")
    return Note(text, note.at, note.until)
