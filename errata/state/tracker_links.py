"""Links of issues to issues of a tracker, with the tracker's state as last fetched."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.database import Database
from errata.state.errors import IssueLinked, LinkNotFound
from errata.state.integrations import Integration, Integrations
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, objects, unique_where


class TrackerLink(Table):
    """An issue elsewhere, as last fetched; `problem` is the reason for failures since. `issue_id` is the
    linked issue; the issue it is merged into is found upon reading."""

    __tablename__ = "linked_issues"
    __table_args__ = (
        unique_where(
            "unlinked_at is null",
            "uq_linked_issues_integration_id_key_issue_id",
            *("integration_id", "key", "issue_id"),
        ),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    integration_id: Mapped[str] = mapped_column(ForeignKey("integrations.id"))
    issue_id: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(100))
    url: Mapped[str] = mapped_column(String(1000))
    title: Mapped[str] = mapped_column(String(300))
    is_open: Mapped[bool]
    status: Mapped[str] = mapped_column(String(100))
    problem: Mapped[str] = mapped_column(String(500))
    fetched_at: Mapped[datetime]
    linked_at: Mapped[datetime]
    linked_by: Mapped[str] = mapped_column(String(320))
    unlinked_at: Mapped[datetime | None] = mapped_column(default=None)
    kind: str = ""
    target: str = ""


LINKS = (
    select(TrackerLink, Integration.kind, Integration.target)
    .join(Integration, Integration.id == TrackerLink.integration_id)
    .where(TrackerLink.unlinked_at.is_(None))
    .order_by(TrackerLink.linked_at, TrackerLink.id)
)


class TrackerLinks(Repository):
    def __init__(self, database: Database, secret: bytes, integrations: Integrations) -> None:
        super().__init__(database, secret)
        self._integrations = integrations

    def of_project(self, organization_id: int, project_id: int) -> list[TrackerLink]:
        """Links of all issues of the project, the oldest first."""
        query = LINKS.where(
            Integration.organization_id == organization_id, TrackerLink.project_id == project_id
        )
        with self._database.reading() as connection:
            return objects(TrackerLink, connection.execute(query))

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
                    insert(TrackerLink).values(
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
            connection.execute(update(TrackerLink).where(TrackerLink.id == link_id).values(**values))

    def remove(self, organization_id: int, project_id: int, link_id: str) -> TrackerLink:
        link = self.get(organization_id, project_id, link_id)
        with self._database.writing() as connection:
            connection.execute(
                update(TrackerLink).where(TrackerLink.id == link_id).values(unlinked_at=self._database.now())
            )
        return link

    def due(
        self, open_before: datetime, closed_before: datetime, limit: int
    ) -> list[tuple[TrackerLink, Integration]]:
        """Links of all organizations, the longest not fetched first; those of paused trackers wait."""
        now = self._database.now()
        query = (
            LINKS.where(
                Integration.removed_at.is_(None),
                ProjectRow.deleted_at.is_(None),
                or_(Integration.paused_until.is_(None), Integration.paused_until <= now),
                or_(
                    and_(TrackerLink.is_open, TrackerLink.fetched_at <= open_before),
                    TrackerLink.fetched_at <= closed_before,
                ),
            )
            .join(ProjectRow, ProjectRow.id == TrackerLink.project_id)
            .order_by(None)
            .order_by(TrackerLink.fetched_at)
            .limit(limit)
        )
        with self._database.reading() as connection:
            links = objects(TrackerLink, connection.execute(query))
        known = self._integrations.by_ids({link.integration_id for link in links})
        return [(link, known[link.integration_id]) for link in links if link.integration_id in known]
