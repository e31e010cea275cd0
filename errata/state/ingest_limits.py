"""What projects and their services can deliver per minute, where owners have set a limit."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from sqlalchemy import ScalarSelect, case, cast, delete, func, insert, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import BigInteger, String

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.app_key import AppKey
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, objects
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


class IngestLimit(Table):
    """`service`: empty for the whole project."""

    __tablename__ = "ingest_limits"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    service: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[LimitKind] = mapped_column(primary_key=True)
    per_minute: Mapped[int] = mapped_column(BigInteger)
    changed_at: Mapped[datetime]
    changed_by: Mapped[str] = mapped_column(String(320))


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
    mark = case((IngestLimit.service == "", ""), else_=":")
    each = IngestLimit.kind + mark + "=" + cast(IngestLimit.per_minute, String)
    own = [IngestLimit.service == ""]
    if has_service:
        own.append(IngestLimit.service == AppKey.service)
    query = select(func.coalesce(func.aggregate_strings(each, ","), "")).where(
        IngestLimit.project_id == ProjectRow.id, or_(*own)
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
        order = IngestLimit.project_id, IngestLimit.service, IngestLimit.kind
        query = select(IngestLimit).where(IngestLimit.project_id.in_(project_ids)).order_by(*order)
        with self._database.reading() as connection:
            return objects(IngestLimit, connection.execute(query))

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
            own = IngestLimit.project_id == project_id, IngestLimit.service == service
            protected = IngestLimit.kind == LimitKind.SPIKES
            if connection.execute(select(IngestLimit.kind).where(*own, protected)).one_or_none():
                # It keeps what was learned.
                limits = {
                    kind: number
                    for kind, number in limits.items()
                    if kind is not LimitKind.SPIKES or number is None
                }
            connection.execute(delete(IngestLimit).where(*own, IngestLimit.kind.in_(limits)))
            values = {"changed_at": self._database.now(), "changed_by": actor}
            for kind, number in limits.items():
                if number is not None:
                    connection.execute(
                        insert(IngestLimit).values(**key, kind=kind, per_minute=number, **values)
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
        query = select(IngestLimit.project_id, IngestLimit.per_minute).where(
            IngestLimit.kind == LimitKind.SPIKES
        )
        with self._database.reading() as connection:
            return {row.project_id: row.per_minute for row in connection.execute(query)}

    def learn(self, project_id: int, lines_per_minute: int) -> None:
        """Keeps what a project's week says, while its spike protection is on."""
        with self._database.writing() as connection:
            connection.execute(
                update(IngestLimit)
                .where(IngestLimit.project_id == project_id, IngestLimit.kind == LimitKind.SPIKES)
                .values(per_minute=lines_per_minute)
            )
