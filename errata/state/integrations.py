"""Trackers that a project's issues can be linked to, and the links."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import RowMapping, Select, and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from errata.state.activity_actions import Action
from errata.state.errors import IntegrationNotFound, IssueLinked, LinkNotFound
from errata.state.sealed_secrets import SealedSecrets
from errata.state.tables import integrations, linked_issues, projects, sealed_secrets

PURPOSE = "integration"


@dataclass(frozen=True)
class NewIntegration:
    kind: str
    base_url: str
    target: str
    account: str
    issue_type: str
    token: SecretStr


@dataclass(frozen=True)
class Integration:
    """`token_ending` is all that is ever shown of its token."""

    id: str
    organization_id: int
    project_id: int
    kind: str
    base_url: str
    target: str
    account: str
    issue_type: str
    secret_id: str
    token_ending: str
    created_at: datetime
    created_by: str
    paused_until: datetime | None


@dataclass(frozen=True)
class Linked:
    """An issue elsewhere, as it was fetched last; `problem` says why it could not be since."""

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


INTEGRATIONS = (
    select(integrations, sealed_secrets.c.ending)
    .outerjoin(sealed_secrets, sealed_secrets.c.id == integrations.c.secret_id)
    .where(integrations.c.removed_at.is_(None))
    .order_by(integrations.c.created_at, integrations.c.id)
)
LINKS = (
    select(linked_issues, integrations.c.kind, integrations.c.target)
    .join(integrations, integrations.c.id == linked_issues.c.integration_id)
    .where(linked_issues.c.unlinked_at.is_(None))
    .order_by(linked_issues.c.linked_at, linked_issues.c.id)
)


class Integrations(SealedSecrets):
    def integrations(self, organization_id: int, project_id: int) -> list[Integration]:
        mine = and_(
            integrations.c.organization_id == organization_id, integrations.c.project_id == project_id
        )
        return self._integrations(INTEGRATIONS.where(mine))

    def integration(self, organization_id: int, project_id: int, integration_id: str) -> Integration:
        for integration in self.integrations(organization_id, project_id):
            if integration.id == integration_id:
                return integration
        raise IntegrationNotFound

    def add_integration(
        self, organization_id: int, project_id: int, new: NewIntegration, *, actor: str
    ) -> Integration:
        integration_id = uuid4().hex
        with self._database.writing() as connection:
            secret = self._keep_secret(connection, organization_id, PURPOSE, new.token.get_secret_value())
            connection.execute(
                insert(integrations).values(
                    id=integration_id,
                    organization_id=organization_id,
                    project_id=project_id,
                    kind=new.kind,
                    base_url=new.base_url,
                    target=new.target,
                    account=new.account,
                    issue_type=new.issue_type,
                    secret_id=secret.id,
                    created_at=self._database.now(),
                    created_by=actor,
                )
            )
            subject = f"{new.kind} {new.target}"[:200]
            self._record(connection, organization_id, Action.INTEGRATION_ADDED, actor=actor, subject=subject)
        return self.integration(organization_id, project_id, integration_id)

    def remove_integration(
        self, organization_id: int, project_id: int, integration_id: str, *, actor: str
    ) -> None:
        """Its token is deleted; links made with it stay as they were fetched last."""
        integration = self.integration(organization_id, project_id, integration_id)
        with self._database.writing() as connection:
            connection.execute(
                update(integrations)
                .where(integrations.c.id == integration_id)
                .values(removed_at=self._database.now())
            )
            self._drop_secret(connection, organization_id, integration.secret_id)
            subject = f"{integration.kind} {integration.target}"[:200]
            self._record(
                connection, organization_id, Action.INTEGRATION_REMOVED, actor=actor, subject=subject
            )

    def pause_integration(self, integration_id: str, until: datetime) -> None:
        """Its tracker asked not to be asked before then."""
        with self._database.writing() as connection:
            connection.execute(
                update(integrations).where(integrations.c.id == integration_id).values(paused_until=until)
            )

    def links(self, organization_id: int, project_id: int) -> list[Linked]:
        """Of all issues of the project, the oldest first."""
        query = LINKS.where(
            integrations.c.organization_id == organization_id, linked_issues.c.project_id == project_id
        )
        with self._database.reading() as connection:
            return [_linked(row) for row in connection.execute(query).mappings()]

    def linked_issue_ids(self, organization_id: int, project_id: int) -> list[str]:
        """Of issues that have a link to one elsewhere."""
        return sorted({link.issue_id for link in self.links(organization_id, project_id)})

    def link(self, organization_id: int, project_id: int, link_id: str) -> Linked:
        for link in self.links(organization_id, project_id):
            if link.id == link_id:
                return link
        raise LinkNotFound

    def add_link(
        self, integration: Integration, issue_id: str, fetched: Mapping[str, Any], *, actor: str
    ) -> Linked:
        """`fetched` has key, url, title, is_open and status. Raises IssueLinked for a second time."""
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
        return self.link(integration.organization_id, integration.project_id, link_id)

    def store_fetched(self, link_id: str, fetched: Mapping[str, Any]) -> None:
        """What a refresh found: fields of the issue elsewhere, or a `problem` alone."""
        values = {"problem": "", **fetched, "fetched_at": self._database.now()}
        with self._database.writing() as connection:
            connection.execute(update(linked_issues).where(linked_issues.c.id == link_id).values(**values))

    def remove_link(self, organization_id: int, project_id: int, link_id: str) -> Linked:
        link = self.link(organization_id, project_id, link_id)
        with self._database.writing() as connection:
            connection.execute(
                update(linked_issues)
                .where(linked_issues.c.id == link_id)
                .values(unlinked_at=self._database.now())
            )
        return link

    def links_to_refresh(
        self, open_before: datetime, closed_before: datetime, limit: int
    ) -> list[tuple[Linked, Integration]]:
        """Of all organizations, the longest not fetched first; those of paused trackers wait."""
        now = self._database.now()
        query = (
            LINKS.where(
                integrations.c.removed_at.is_(None),
                projects.c.deleted_at.is_(None),
                or_(integrations.c.paused_until.is_(None), integrations.c.paused_until <= now),
                or_(
                    and_(linked_issues.c.is_open, linked_issues.c.fetched_at <= open_before),
                    linked_issues.c.fetched_at <= closed_before,
                ),
            )
            .join(projects, projects.c.id == linked_issues.c.project_id)
            .order_by(None)
            .order_by(linked_issues.c.fetched_at)
            .limit(limit)
        )
        with self._database.reading() as connection:
            links = [_linked(row) for row in connection.execute(query).mappings()]
        wanted = {link.integration_id for link in links}
        known = {
            each.id: each for each in self._integrations(INTEGRATIONS.where(integrations.c.id.in_(wanted)))
        }
        return [(link, known[link.integration_id]) for link in links if link.integration_id in known]

    def _integrations(self, query: Select[Any]) -> list[Integration]:
        with self._database.reading() as connection:
            return [
                Integration(
                    **{name: value for name, value in row.items() if name not in ("ending", "removed_at")},
                    token_ending=row["ending"] or "",
                )
                for row in connection.execute(query).mappings()
            ]


def _linked(row: RowMapping) -> Linked:
    return Linked(**{str(name): value for name, value in row.items() if name != "unlinked_at"})
