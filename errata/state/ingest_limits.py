"""What projects and their services can deliver per minute, where owners have set a limit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from sqlalchemy import ScalarSelect, String, case, cast, delete, func, insert, or_, select, update

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.app_key import AppKey
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import ingest_limits
from errata.state.token_buckets import Limit

MOST_PER_MINUTE = 10**12
# Without a setting of the operator.
ORGANIZATION_LINES_PER_MINUTE = 1_000_000


class LimitKind(StrEnum):
    """What a minute's limit counts: `lines`; `bytes` of lines; `payloads` of events of one variant; `spikes`:
    lines again, by a number learned from the project's past week."""

    LINES = "lines"
    BYTES = "bytes"
    PAYLOADS = "payloads"
    SPIKES = "spikes"


# Of services too; the others are of whole projects.
OF_SERVICES = (LimitKind.LINES, LimitKind.BYTES)
# A limit of spikes before the project has a week to learn from; it limits nothing.
NOT_LEARNED = 0
WORDS = {
    LimitKind.LINES: "{:,} lines per minute",
    LimitKind.BYTES: "{:,} bytes per minute",
    LimitKind.PAYLOADS: "{:,} payloads per minute and variant",
    LimitKind.SPIKES: "spike protection on",
}


@dataclass(frozen=True, slots=True)
class IngestLimit:
    """`service`: empty for the whole project."""

    project_id: int
    service: str
    kind: LimitKind
    per_minute: int
    changed_at: datetime
    changed_by: str


@dataclass(frozen=True, slots=True)
class RouteLimits:
    """Limits of a route's project, and of its service, by kind."""

    of_project: Mapping[LimitKind, int]
    of_service: Mapping[LimitKind, int]


@lru_cache(maxsize=1024)
def limits_of(text: str) -> RouteLimits:
    """The limits of the text that is read with a route."""
    found: dict[str, dict[LimitKind, int]] = {"": {}, ":": {}}
    for each in filter(None, text.split(",")):
        name, _, number = each.partition("=")
        kind = name.rstrip(":")
        found[name[len(kind) :]][LimitKind(kind)] = int(number)
    return RouteLimits(found[""], found[":"])


def route_limits(*, has_service: bool) -> ScalarSelect[str]:
    """Limits of the project of a query, and of the service of its application key: `bytes=5000,lines:=60`,
    where a colon marks those of the service."""
    mark = case((ingest_limits.c.service == "", ""), else_=":")
    each = ingest_limits.c.kind + mark + "=" + cast(ingest_limits.c.per_minute, String)
    own = [ingest_limits.c.service == ""]
    if has_service:
        own.append(ingest_limits.c.service == AppKey.service)
    query = select(func.coalesce(func.aggregate_strings(each, ","), "")).where(
        ingest_limits.c.project_id == ProjectRow.id, or_(*own)
    )
    return query.correlate(ProjectRow, AppKey).scalar_subquery()


def organization_lines(lines_per_minute: int) -> Limit:
    """Of an organization; its subject is the organization's id."""
    return Limit("lines", lines_per_minute, 60)


def per_minute(kind: LimitKind, count: int, service: str = "") -> Limit:
    """The bucket of a project's limit or, where a service is named, of a service's."""
    return Limit(f"{'service' if service else 'project'}_{kind}", count, 60)


def subject(project_id: int, service: str = "") -> str:
    """Whose tokens a bucket of `per_minute` holds."""
    return f"{project_id}:{service}" if service else str(project_id)


class IngestLimits(Repository):
    def of_projects(self, project_ids: Collection[int]) -> list[IngestLimit]:
        """By project, those of the whole project first."""
        table = ingest_limits.c
        query = select(
            table.project_id, table.service, table.kind, table.per_minute, table.changed_at, table.changed_by
        ).where(table.project_id.in_(project_ids))
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(table.project_id, table.service, table.kind))
            return [
                IngestLimit(project_id, service, LimitKind(kind), *rest)
                for project_id, service, kind, *rest in rows
            ]

    def services(self, organization_id: int) -> list[tuple[int, str]]:
        """Project and service of every application key of a service."""
        query = (
            select(AppKey.project_id, AppKey.service)
            .join(ProjectRow, ProjectRow.id == AppKey.project_id)
            .where(
                ProjectRow.organization_id == organization_id,
                ProjectRow.deleted_at.is_(None),
                AppKey.service != "",
            )
        )
        with self._database.reading() as connection:
            return [(project_id, service) for project_id, service in connection.execute(query.distinct())]

    def replace(
        self,
        organization_id: int,
        slug: str,
        service: str,
        limits: Mapping[LimitKind, int | None],
        *,
        actor: str,
    ) -> int:
        """Sets these limits, and removes those that are None; others stay. Holds from the next delivery on,
        on every node. An empty service means the whole project. Returns the project's id.

        Raises ProjectNotFound, and InvalidParameter for a service that no application key names.
        """
        for kind, number in limits.items():
            least = 0 if kind is LimitKind.SPIKES else 1
            if number is not None and not least <= number <= MOST_PER_MINUTE:
                raise InvalidParameter(f"{kind}_per_minute", f"1 to {MOST_PER_MINUTE:,}")
            if service and kind not in OF_SERVICES:
                raise InvalidParameter("service", f"empty: {kind} are limited for whole projects")
        with self._database.writing() as connection:
            # Serialized: two at once would both find no row, and insert theirs.
            project_id = self._project_id(connection, organization_id, slug, for_update=True)
            key = {"project_id": project_id, "service": service}
            known = select(AppKey.id).where(AppKey.project_id == project_id, AppKey.service == service)
            if service and connection.execute(known.limit(1)).one_or_none() is None:
                raise InvalidParameter("service", "a service of one of the project's application keys")
            own = [ingest_limits.c[name] == value for name, value in key.items()]
            protected = ingest_limits.c.kind == LimitKind.SPIKES.value
            if connection.execute(select(ingest_limits.c.kind).where(*own, protected)).one_or_none():
                # It keeps what was learned.
                limits = {
                    kind: number
                    for kind, number in limits.items()
                    if kind is not LimitKind.SPIKES or number is None
                }
            connection.execute(delete(ingest_limits).where(*own, ingest_limits.c.kind.in_(limits)))
            values = {"changed_at": self._database.now(), "changed_by": actor}
            for kind, number in limits.items():
                if number is not None:
                    connection.execute(
                        insert(ingest_limits).values(**key, kind=kind.value, per_minute=number, **values)
                    )
                said = WORDS[kind].format(number) if number is not None else f"no limit of {kind}"
                self._record(
                    connection,
                    organization_id,
                    Action.LINE_LIMIT_CHANGED,
                    actor=actor,
                    subject=f"{slug}{f', service {service}' if service else ''}: {said}",
                )
        return project_id

    def spike_protected(self) -> dict[int, int]:
        """By project with spike protection: its learned lines per minute; NOT_LEARNED before."""
        query = select(ingest_limits.c.project_id, ingest_limits.c.per_minute).where(
            ingest_limits.c.kind == LimitKind.SPIKES.value
        )
        with self._database.reading() as connection:
            return {row.project_id: row.per_minute for row in connection.execute(query)}

    def learn(self, project_id: int, lines_per_minute: int) -> None:
        """Keeps what a project's week says, while its spike protection is on."""
        with self._database.writing() as connection:
            connection.execute(
                update(ingest_limits)
                .where(
                    ingest_limits.c.project_id == project_id, ingest_limits.c.kind == LimitKind.SPIKES.value
                )
                .values(per_minute=lines_per_minute)
            )
