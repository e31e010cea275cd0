"""Monitors that are declared in a configuration, with what was declared of them earlier."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.errors import InvalidParameter
from errata.monitors.config import MonitorConfig, stored_config
from errata.monitors.declaration import Declaration, Declarations, Key
from errata.monitors.slug import LONGEST_SLUG, SLUG_RULE, is_slug
from errata.one_line import is_one_line
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.table import Table, objects, unique_where

LONGEST_ENVIRONMENT = 64
MOST_A_PROJECT = 500
# As long as check-ins are kept.
FORGOTTEN_AFTER = timedelta(days=400)


class DeclaredMonitor(Table):
    """A configuration with the time at which it held. A change ends one and declares the next, so that runs
    before it are judged as they were."""

    __tablename__ = "declared_monitors"
    __table_args__ = (
        unique_where("ended_at is null", "uq_declared_monitors_current", "project_id", "slug", "environment"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    slug: Mapped[str] = mapped_column(String(LONGEST_SLUG))
    environment: Mapped[str] = mapped_column(String(LONGEST_ENVIRONMENT))
    config: Mapped[str]
    declared_at: Mapped[datetime]
    declared_by: Mapped[str] = mapped_column(String(320))
    ended_at: Mapped[datetime | None] = mapped_column(default=None)

    @property
    def monitor(self) -> "NewMonitor | None":
        """None: another version stored a schedule that this one doesn't know."""
        config = stored_config(self.config)
        return NewMonitor(self.slug, self.environment, config) if config else None


@dataclass(frozen=True)
class NewMonitor:
    slug: str
    environment: str
    config: MonitorConfig

    @property
    def key(self) -> Key:
        return self.slug, self.environment

    @property
    def name(self) -> str:
        return name_of(self.key)

    def require_valid(self) -> None:
        """Raises InvalidParameter."""
        if not is_slug(self.slug):
            raise InvalidParameter("slug", SLUG_RULE)
        if len(self.environment) > LONGEST_ENVIRONMENT or not is_one_line(self.environment):
            raise InvalidParameter("environment", f"at most {LONGEST_ENVIRONMENT} characters on one line")


def name_of(key: Key) -> str:
    return "/".join(key)


class DeclaredMonitors(Repository):
    def of_project(self, organization_id: int, slug: str) -> list[DeclaredMonitor]:
        """Those that are declared now, by slug and environment."""
        with self._database.reading() as connection:
            project_id = self._project_id(connection, organization_id, slug)
            return _rows(connection, *_current(project_id))

    def declarations(self, project_id: int) -> Declarations:
        """Those that hold and those that ended, the earliest first."""
        with self._database.reading() as connection:
            rows = _rows(connection, DeclaredMonitor.project_id == project_id)
        found = dict[Key, list[Declaration]]()
        for row in rows:
            if (monitor := row.monitor) is not None:
                declaration = Declaration(monitor.config, row.declared_at, row.ended_at)
                found.setdefault(monitor.key, []).append(declaration)
        return found

    def slugs(self, project_id: int) -> Sequence[str]:
        """Of those that are declared now."""
        query = select(DeclaredMonitor.slug).where(*_current(project_id)).distinct()
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def declare(self, organization_id: int, slug: str, monitor: NewMonitor, *, actor: str) -> None:
        """Declares a monitor, or changes what is declared of it from now on."""
        monitor.require_valid()
        now = self._database.now()
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            before = [row.config for row in _rows(connection, *_current(project_id, monitor.key))]
            if before == [monitor.config.text]:
                return
            if not before:
                _require_room(connection, project_id, monitor)
            _end(connection, project_id, monitor.key, now)
            connection.execute(
                insert(DeclaredMonitor).values(
                    id=uuid4().hex,
                    project_id=project_id,
                    slug=monitor.slug,
                    environment=monitor.environment,
                    config=monitor.config.text,
                    declared_at=now,
                    declared_by=actor,
                )
            )
            action = Action.MONITOR_CHANGED if before else Action.MONITOR_DECLARED
            self._record(connection, organization_id, action, actor=actor, subject=f"{slug}: {monitor.name}")

    def withdraw(self, organization_id: int, slug: str, key: Key, *, actor: str) -> None:
        """From now on, what check-ins send holds again. Does nothing if it isn't declared."""
        with self._database.writing_alone() as connection:
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            if _end(connection, project_id, key, self._database.now()):
                subject = f"{slug}: {name_of(key)}"
                self._record(
                    connection, organization_id, Action.MONITOR_WITHDRAWN, actor=actor, subject=subject
                )


def _current(project_id: int, key: Key | None = None) -> list[ColumnElement[bool]]:
    found = [DeclaredMonitor.project_id == project_id, DeclaredMonitor.ended_at.is_(None)]
    return [*found, *_of(key)] if key else found


def _of(key: Key) -> list[ColumnElement[bool]]:
    return [DeclaredMonitor.slug == key[0], DeclaredMonitor.environment == key[1]]


def _rows(connection: Connection, *conditions: ColumnElement[bool]) -> list[DeclaredMonitor]:
    query = (
        select(DeclaredMonitor)
        .where(*conditions)
        .order_by(DeclaredMonitor.slug, DeclaredMonitor.environment, DeclaredMonitor.declared_at)
    )
    return objects(DeclaredMonitor, connection.execute(query))


def _require_room(connection: Connection, project_id: int, monitor: NewMonitor) -> None:
    """Environments of one monitor count once, as those of check-ins do."""
    others = select(func.count(DeclaredMonitor.slug.distinct())).where(
        *_current(project_id), DeclaredMonitor.slug != monitor.slug
    )
    if connection.execute(others).scalar_one() >= MOST_A_PROJECT:
        raise InvalidParameter("slug", f"a project has at most {MOST_A_PROJECT} monitors")


def _end(connection: Connection, project_id: int, key: Key, now: datetime) -> bool:
    """Whether one was declared. What ended very long ago is forgotten."""
    connection.execute(
        delete(DeclaredMonitor).where(
            DeclaredMonitor.project_id == project_id,
            DeclaredMonitor.ended_at.is_not(None),
            DeclaredMonitor.ended_at < now - FORGOTTEN_AFTER,
        )
    )
    ended = update(DeclaredMonitor).where(*_current(project_id, key)).values(ended_at=now)
    return connection.execute(ended).rowcount > 0
