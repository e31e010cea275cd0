"""Links of issues to issues of a tracker, with the tracker's state as last fetched."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import RowMapping, and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from errata.state.database import Database
from errata.state.errors import IssueLinked, LinkNotFound
from errata.state.integrations import Integration, Integrations
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import integrations, linked_issues


@dataclass(frozen=True)
class TrackerLink:
    """An issue elsewhere, as last fetched; `problem` is the reason for failures since."""

    id: str
    project_id: int
    integration_id: str
    issue_id: str
    key: str
    url: str
    title: str
    is_open: bool
    status: str
    problem: str
    fetched_at: datetime
    linked_at: datetime
    linked_by: str
    kind: str
    target: str


LINKS = (
    select(linked_issues, integrations.c.kind, integrations.c.target)
    .join(integrations, integrations.c.id == linked_issues.c.integration_id)
    .where(linked_issues.c.unlinked_at.is_(None))
    .order_by(linked_issues.c.linked_at, linked_issues.c.id)
)


class TrackerLinks(Repository):
    def __init__(self, database: Database, secret: bytes, integrations: Integrations) -> None:
        super().__init__(database, secret)
        self._integrations = integrations

    def of_project(self, organization_id: int, project_id: int) -> list[TrackerLink]:
        """Links of all issues of the project, the oldest first."""
        query = LINKS.where(
            integrations.c.organization_id == organization_id, linked_issues.c.project_id == project_id
        )
        with self._database.reading() as connection:
            return [_linked(row) for row in connection.execute(query).mappings()]

    def issue_ids(self, organization_id: int, project_id: int) -> list[str]:
        """Issues that have a link to one elsewhere."""
        return sorted({link.issue_id for link in self.of_project(organization_id, project_id)})

    def get(self, organization_id: int, project_id: int, link_id: str) -> TrackerLink:
        for link in self.of_project(organization_id, project_id):
            if link.id == link_id:
                return link
        raise LinkNotFound

    def add(
        self, integration: Integration, issue_id: str, fetched: Mapping[str, Any], *, actor: str
    ) -> TrackerLink:
        """Adds a link. `fetched` has key, url, title, is_open and status. Raises IssueLinked for a second
        time."""
        now, link_id = self._database.now(), uuid4().hex
        try:
            with self._database.writing() as connection:
                connection.execute(
                    insert(linked_issues).values(
                        id=link_id,
                        project_id=integration.project_id,
                        integration_id=integration.id,
                        issue_id=issue_id,
                        problem="",
                        fetched_at=now,
                        linked_at=now,
                        linked_by=actor,
                        **fetched,
                    )
                )
        except IntegrityError as error:
            raise IssueLinked(str(fetched["key"])) from error
        return self.get(integration.organization_id, integration.project_id, link_id)

    def store_fetched(self, link_id: str, fetched: Mapping[str, Any]) -> None:
        """Stores the result of a refresh: fields of the issue elsewhere, or a `problem` alone."""
        values = {"problem": "", **fetched, "fetched_at": self._database.now()}
        with self._database.writing() as connection:
            connection.execute(update(linked_issues).where(linked_issues.c.id == link_id).values(**values))

    def remove(self, organization_id: int, project_id: int, link_id: str) -> TrackerLink:
        link = self.get(organization_id, project_id, link_id)
        with self._database.writing() as connection:
            connection.execute(
                update(linked_issues)
                .where(linked_issues.c.id == link_id)
                .values(unlinked_at=self._database.now())
            )
        return link

    def due(
        self, open_before: datetime, closed_before: datetime, limit: int
    ) -> list[tuple[TrackerLink, Integration]]:
        """Links of all organizations, the longest not fetched first; those of paused trackers wait."""
        now = self._database.now()
        query = (
            LINKS.where(
                integrations.c.removed_at.is_(None),
                ProjectRow.deleted_at.is_(None),
                or_(integrations.c.paused_until.is_(None), integrations.c.paused_until <= now),
                or_(
                    and_(linked_issues.c.is_open, linked_issues.c.fetched_at <= open_before),
                    linked_issues.c.fetched_at <= closed_before,
                ),
            )
            .join(ProjectRow, ProjectRow.id == linked_issues.c.project_id)
            .order_by(None)
            .order_by(linked_issues.c.fetched_at)
            .limit(limit)
        )
        with self._database.reading() as connection:
            links = [_linked(row) for row in connection.execute(query).mappings()]
        known = self._integrations.by_ids({link.integration_id for link in links})
        return [(link, known[link.integration_id]) for link in links if link.integration_id in known]


def _linked(row: RowMapping) -> TrackerLink:
    return TrackerLink(**{str(name): value for name, value in row.items() if name != "unlinked_at"})
