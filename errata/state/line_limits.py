"""How many lines projects and their services can deliver per minute, where owners have set a limit."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.repository import Repository
from errata.state.tables import app_keys, line_limits, projects
from errata.state.token_buckets import Limit

MOST_LINES_PER_MINUTE = 1_000_000_000
# Without a setting of the operator.
ORGANIZATION_LINES_PER_MINUTE = 1_000_000


@dataclass(frozen=True, slots=True)
class LineLimit:
    """`service`: empty for all lines of the project."""

    project_id: int
    service: str
    lines_per_minute: int
    changed_at: datetime
    changed_by: str


def organization_lines(lines_per_minute: int) -> Limit:
    """Of an organization; its subject is the organization's id."""
    return Limit("lines", lines_per_minute, 60)


def project_lines(lines_per_minute: int) -> Limit:
    """Of a project; its subject is the project's id."""
    return Limit("project_lines", lines_per_minute, 60)


def service_lines(lines_per_minute: int) -> Limit:
    """Of a service; its subject is `service_subject`."""
    return Limit("service_lines", lines_per_minute, 60)


def service_subject(project_id: int, service: str) -> str:
    return f"{project_id}:{service}"


class LineLimits(Repository):
    def of_projects(self, project_ids: Collection[int]) -> list[LineLimit]:
        """By project, that of the project first."""
        query = select(
            line_limits.c.project_id,
            line_limits.c.service,
            line_limits.c.lines_per_minute,
            line_limits.c.changed_at,
            line_limits.c.changed_by,
        ).where(line_limits.c.project_id.in_(project_ids))
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(line_limits.c.project_id, line_limits.c.service))
            return [LineLimit(*row) for row in rows]

    def services(self, organization_id: int) -> list[tuple[int, str]]:
        """Project and service of every application key of a service."""
        query = (
            select(app_keys.c.project_id, app_keys.c.service)
            .join(projects, projects.c.id == app_keys.c.project_id)
            .where(
                projects.c.organization_id == organization_id,
                projects.c.deleted_at.is_(None),
                app_keys.c.service != "",
            )
        )
        with self._database.reading() as connection:
            return [(project_id, service) for project_id, service in connection.execute(query.distinct())]

    def replace(
        self, organization_id: int, slug: str, service: str, lines_per_minute: int | None, *, actor: str
    ) -> None:
        """Sets the limit, or removes it with None; holds from the next delivery on, on every node. An empty
        service means all lines of the project. Raises ProjectNotFound, and InvalidParameter for a service
        that no application key names."""
        if lines_per_minute is not None and not 0 < lines_per_minute <= MOST_LINES_PER_MINUTE:
            raise InvalidParameter("lines_per_minute", f"1 to {MOST_LINES_PER_MINUTE:,}")
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            key = {"project_id": project_id, "service": service}
            known = select(app_keys.c.id).where(*(app_keys.c[name] == value for name, value in key.items()))
            if service and connection.execute(known.limit(1)).one_or_none() is None:
                raise InvalidParameter("service", "a service of one of the project's application keys")
            connection.execute(
                delete(line_limits).where(*(line_limits.c[name] == value for name, value in key.items()))
            )
            if lines_per_minute is not None:
                values = {"changed_at": self._database.now(), "changed_by": actor}
                connection.execute(
                    insert(line_limits).values(**key, lines_per_minute=lines_per_minute, **values)
                )
            said = f"{lines_per_minute} lines per minute" if lines_per_minute else "no limit of its own"
            self._record(
                connection,
                organization_id,
                Action.LINE_LIMIT_CHANGED,
                actor=actor,
                subject=f"{slug}{f', service {service}' if service else ''}: {said}",
            )
