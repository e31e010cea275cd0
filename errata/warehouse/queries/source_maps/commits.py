"""Commits and deploys of releases, as upload tools send them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True, slots=True)
class Commit:
    """`file_count` is the number of changed files; `committed_at` None: the tool did not say."""

    commit_id: str
    message: str
    author_name: str
    committed_at: datetime | None
    file_count: int

    @property
    def title(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0].strip()


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """A commit with some of its changed files; `committed_at` None: the tool did not say."""

    commit_id: str
    message: str
    author_name: str
    committed_at: datetime | None
    paths: list[str]

    @property
    def title(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0].strip()


@dataclass(frozen=True, slots=True)
class Deploy:
    """`name` empty: it has none."""

    environment: str
    name: str
    finished_at: datetime


def previous_release(warehouse: Warehouse, project_id: int, release: str) -> tuple[str, str, datetime] | None:
    """The release whose commits were sent last before, its latest commit, and when they were sent."""
    asked = {"project_id": project_id, "release": release}
    rows = warehouse.rows(sql.query("previous_release_with_commits"), asked)
    return (rows[0]["release"], rows[0]["commit_id"], utc(rows[0]["recorded_last_at"])) if rows else None


def commits_of_release(
    warehouse: Warehouse, project_id: int, release: str, limit: int = 1_000
) -> list[Commit]:
    """The latest first."""
    asked = {"project_id": project_id, "release": release, "limit": limit}
    return [typed(Commit, row) for row in warehouse.rows(sql.query("commits_of_release"), asked)]


def commits_changing(
    warehouse: Warehouse, project_id: int, release: str, names: Sequence[str]
) -> list[ChangedFiles]:
    """All commits of a release, the latest first, with those of their files that have one of the names."""
    asked = {"project_id": project_id, "release": release, "names": names}
    return [typed(ChangedFiles, row) for row in warehouse.rows(sql.query("commits_changing"), asked)]


def deploys_of_release(warehouse: Warehouse, project_id: int, release: str, limit: int = 100) -> list[Deploy]:
    """The latest first."""
    asked = {"project_id": project_id, "release": release, "limit": limit}
    return [typed(Deploy, row) for row in warehouse.rows(sql.query("deploys_of_release"), asked)]
