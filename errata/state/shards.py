"""The shards of a cluster, and which of them each project is on."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from sqlalchemy import Connection, and_, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.database import Database
from errata.state.errors import ProjectNotFound
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, objects

FIRST = 1
"""The shard of every project outside of a cluster."""
KNOWN_SECONDS = 1.0
"""How long a process may not know that a project was moved or is held."""
# A move that ended without letting go must not keep a project's deliveries waiting for ever.
LONGEST_HOLD = timedelta(seconds=60)


class ShardRow(Table):
    __tablename__ = "shards"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    added_at: Mapped[datetime]


@dataclass(frozen=True)
class Place:
    """Where a project is."""

    id: int
    slug: str
    shard: int
    left_shard: int | None
    moved_at: datetime | None
    held_at: datetime | None


OF_PROJECTS = select(
    *(ProjectRow.id, ProjectRow.slug, ProjectRow.shard, ProjectRow.left_shard),
    *(ProjectRow.moved_at, ProjectRow.held_at),
)


class ProjectShards(Repository):
    """Thread-safe."""

    def __init__(self, database: Database, secret: bytes) -> None:
        super().__init__(database, secret)
        self._lock = Lock()
        self._known: Mapping[int, Place] = {}
        self._read_at = float("-inf")

    def add(self, numbers: Iterable[int]) -> list[int]:
        """Records shards that new projects may be put on; returns those that were not known."""
        with self._database.writing() as connection:
            known = set(connection.execute(select(ShardRow.number)).scalars())
            new = sorted(set(numbers) - known)
            for number in new:
                connection.execute(insert(ShardRow).values(number=number, added_at=self._database.now()))
        return new

    def of(self, project_id: int) -> int:
        """The shard of a project, as of a second ago at most; the first of one that nobody knows."""
        place = self._place(project_id)
        return place.shard if place is not None else FIRST

    def is_held(self, project_id: int) -> bool:
        """Whether nothing may be written of a project, as of a second ago at most."""
        place = self._place(project_id)
        held_at = place.held_at if place is not None else None
        return held_at is not None and self._database.now() - held_at < LONGEST_HOLD

    def places(self) -> list[Place]:
        """Of all projects that are not deleted, by id."""
        query = OF_PROJECTS.where(ProjectRow.deleted_at.is_(None)).order_by(ProjectRow.id)
        with self._database.reading() as connection:
            return objects(Place, connection.execute(query))

    def find(self, slug: str) -> Place:
        """The project that is not deleted. Raises ProjectNotFound, also for a slug that several
        organizations have."""
        found = [place for place in self.places() if slug in (place.slug, str(place.id))]
        if len(found) != 1:
            raise ProjectNotFound(slug)
        return found[0]

    def hold(self, project_id: int) -> None:
        """Nothing is written of the project from now on, by no process after `KNOWN_SECONDS`."""
        self._set(project_id, held_at=self._database.now())

    def let_go(self, project_id: int) -> None:
        self._set(project_id, held_at=None)

    def move(self, project_id: int, shard: int) -> None:
        """The project is on another shard from now on; the one that it leaves is remembered."""
        now = self._database.now()
        self._set(project_id, left_shard=ProjectRow.shard, shard=shard, moved_at=now, held_at=None)

    def forget_left(self, project_id: int) -> None:
        """The shard that the project has left has none of its rows any more."""
        self._set(project_id, left_shard=None, moved_at=None)

    def _set(self, project_id: int, **values: object) -> None:
        with self._database.writing() as connection:
            connection.execute(update(ProjectRow).where(ProjectRow.id == project_id).values(values))
        with self._lock:
            self._read_at = float("-inf")

    def _place(self, project_id: int) -> Place | None:
        with self._lock:
            is_old = time.monotonic() - self._read_at > KNOWN_SECONDS
            # One that was made just now has its rows where it belongs, from the first on.
            if is_old or project_id not in self._known:
                with self._database.reading() as connection:
                    self._known = {
                        place.id: place for place in objects(Place, connection.execute(OF_PROJECTS))
                    }
                self._read_at = time.monotonic()
            return self._known.get(project_id)


def with_fewest_projects(connection: Connection) -> int:
    """The shard for a new project; the lowest of those with equally few."""
    counted = (
        select(ShardRow.number)
        .outerjoin(ProjectRow, and_(ProjectRow.shard == ShardRow.number, ProjectRow.deleted_at.is_(None)))
        .group_by(ShardRow.number)
        .order_by(func.count(ProjectRow.id), ShardRow.number)
        .limit(1)
    )
    return connection.execute(counted).scalar_one_or_none() or FIRST
