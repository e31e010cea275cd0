"""Projects of an organization."""

import re
import secrets
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection, and_, false, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from errata.errors import InvalidParameter
from errata.one_line import checked_name, is_one_line
from errata.state.activity_actions import Action
from errata.state.app_key import CURRENT, AppKey
from errata.state.app_keys import AppKeys
from errata.state.database import Database
from errata.state.errors import ProjectExists, ProjectNotFound
from errata.state.grouping import GroupingConfigurations
from errata.state.keys import IssuedKey
from errata.state.project import ProjectRow
from errata.state.repository import SLUG, Repository
from errata.state.shards import with_fewest_projects
from errata.state.table import objects

LARGEST_ID = (1 << 32) - 1
LONGEST_SLUG = 50
LONGEST_NAME = 200


@dataclass(frozen=True)
class Project:
    id: int
    slug: str
    name: str
    platform: str
    created_at: datetime
    app_key_prefix: str


class Sees(Protocol):
    """Who sees projects. `project_ids`: these of the organization; None: all."""

    @property
    def organization_id(self) -> int: ...

    @property
    def project_ids(self) -> frozenset[int] | None: ...


@dataclass(frozen=True)
class CreatedProject:
    project: Project
    app_key: IssuedKey
    public_key: IssuedKey


# The project's own key; empty after it was revoked.
SELECTED = (
    select(
        *(ProjectRow.id, ProjectRow.slug, ProjectRow.name, ProjectRow.platform, ProjectRow.created_at),
        func.coalesce(AppKey.prefix, "").label("app_key_prefix"),
    )
    .outerjoin(
        AppKey,
        and_(AppKey.project_id == ProjectRow.id, AppKey.service == "", AppKey.is_public == false(), *CURRENT),
    )
    .where(ProjectRow.deleted_at.is_(None))
)


class Projects(Repository):
    def __init__(
        self, database: Database, secret: bytes, app_keys: AppKeys, grouping: GroupingConfigurations
    ) -> None:
        super().__init__(database, secret)
        self._app_keys = app_keys
        self._grouping = grouping

    def of_organization(self, organization_id: int) -> list[Project]:
        """By slug."""
        query = SELECTED.where(ProjectRow.organization_id == organization_id).order_by(ProjectRow.slug)
        with self._database.reading() as connection:
            return objects(Project, connection.execute(query))

    def visible(self, to: Sees) -> list[Project]:
        """Those that a session or another caller may see, by slug."""
        found = self.of_organization(to.organization_id)
        return [each for each in found if to.project_ids is None or each.id in to.project_ids]

    def slugs(self, organization_id: int, project_ids: Collection[int] | None) -> list[str] | None:
        """Of those with these ids, by slug; None as given: all projects."""
        if project_ids is None:
            return None
        return [each.slug for each in self.of_organization(organization_id) if each.id in project_ids]

    def ids(self) -> list[int]:
        """Ids of all projects, of every organization, for background work."""
        query = select(ProjectRow.id).where(ProjectRow.deleted_at.is_(None)).order_by(ProjectRow.id)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def all(self) -> list[tuple[int, Project]]:
        """Projects of all organizations, each with its organization's id, for background work."""
        query = SELECTED.add_columns(ProjectRow.organization_id).order_by(ProjectRow.id)
        with self._database.reading() as connection:
            return [(organization_id, Project(*row)) for *row, organization_id in connection.execute(query)]

    def ids_by_organization(self) -> dict[int, list[int]]:
        """Of all projects, for what watches the whole service."""
        found: dict[int, list[int]] = {}
        for organization_id, project in self.all():
            found.setdefault(organization_id, []).append(project.id)
        return found

    def get(self, organization_id: int, slug: str) -> Project:
        """The project. Raises ProjectNotFound, also for a project of another organization."""
        if not SLUG.fullmatch(slug):
            raise ProjectNotFound(slug)
        query = SELECTED.where(ProjectRow.organization_id == organization_id, ProjectRow.slug == slug)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise ProjectNotFound(slug)
        return Project(**row._mapping)

    def create(
        self, organization_id: int, name: str, platform: str = "", slug: str = "", *, actor: str
    ) -> CreatedProject:
        """Creates a project with its first application key. Without a slug one is made of the name, or of the
        id."""
        wanted = slug or slug_of(name)
        try:
            with self._database.writing() as connection:
                return self.insert(connection, organization_id, name, platform, wanted, actor)
        except IntegrityError as error:
            raise ProjectExists(wanted) from error

    def change(self, organization_id: int, slug: str, name: str, platform: str, *, actor: str) -> Project:
        """Renames the project. The slug doesn't change, so addresses keep working."""
        name, platform = checked_name(name, LONGEST_NAME), _checked_platform(platform)
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(
                update(ProjectRow).where(ProjectRow.id == project_id).values(name=name, platform=platform)
            )
            self._record(connection, organization_id, Action.PROJECT_CHANGED, actor=actor, subject=slug)
        return self.get(organization_id, slug)

    def delete(self, organization_id: int, slug: str, *, actor: str) -> None:
        """Deletes the project: its pages, keys, rules and links end now, and its slug is free again. The
        caller has asked for the erasure of its rows."""
        now = self._database.now()
        with self._database.writing() as connection:
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            connection.execute(
                update(AppKey)
                .where(AppKey.project_id == project_id, AppKey.revoked_at.is_(None))
                .values(revoked_at=now)
            )
            connection.execute(update(ProjectRow).where(ProjectRow.id == project_id).values(deleted_at=now))
            self._record(connection, organization_id, Action.PROJECT_DELETED, actor=actor, subject=slug)

    def insert(
        self, connection: Connection, organization_id: int, name: str, platform: str, slug: str, actor: str
    ) -> CreatedProject:
        name, platform = checked_name(name, LONGEST_NAME), _checked_platform(platform)
        if slug != slug_of(slug):
            raise InvalidParameter(
                "slug", f"1 to {LONGEST_SLUG} lowercase letters, digits and single hyphens"
            )
        project_id, now = _unused_id(connection), self._database.now()
        # A name without Latin letters and digits gives no slug.
        slug = slug or f"project-{project_id}"
        connection.execute(
            insert(ProjectRow).values(
                id=project_id,
                organization_id=organization_id,
                slug=slug,
                name=name,
                platform=platform,
                created_at=now,
                shard=with_fewest_projects(connection),
            )
        )
        self._grouping.create_first(connection, project_id, actor)
        self._record(connection, organization_id, Action.PROJECT_CREATED, actor=actor, subject=slug)
        app_key, public_key = (
            self._app_keys.issue(
                *(connection, organization_id, project_id, slug, "", Action.APP_KEY_CREATED, actor),
                is_public=is_public,
            )
            for is_public in (False, True)
        )
        project = Project(project_id, slug, name, platform, now, app_key.prefix)
        return CreatedProject(project, app_key, public_key)


def slug_of(name: str) -> str:
    ascii_name = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:LONGEST_SLUG].strip("-")


def _checked_platform(platform: str) -> str:
    if not is_one_line(platform):
        raise InvalidParameter("platform", "a word such as python")
    return platform


def _unused_id(connection: Connection) -> int:
    """A random id that was never used before: deleted projects keep their rows."""
    while True:
        candidate = secrets.randbelow(LARGEST_ID) + 1
        if connection.execute(select(ProjectRow.id).where(ProjectRow.id == candidate)).one_or_none() is None:
            return candidate
