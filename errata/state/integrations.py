"""Trackers that a project's issues can be linked to."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from pydantic import SecretStr
from sqlalchemy import Select, and_, false, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.activity_actions import Action
from errata.state.database import Database
from errata.state.errors import IntegrationNotFound
from errata.state.repository import Repository
from errata.state.sealed_secrets import SealedSecret, SealedSecrets
from errata.state.table import Table, objects
from errata.state.users import Reader, Role

PURPOSE = "integration"


@dataclass(frozen=True)
class NewIntegration:
    kind: str
    base_url: str
    target: str
    account: str
    issue_type: str
    token: SecretStr
    resolves: bool = False


class Integration(Table):
    """A removed integration has no token, and its links stay as they were. `token_ending` is the only part of
    its token ever shown, and to owners only. `resolves`: what is closed in the tracker is resolved here."""

    __tablename__ = "integrations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    base_url: Mapped[str] = mapped_column(String(500))
    target: Mapped[str] = mapped_column(String(250))
    account: Mapped[str] = mapped_column(String(320))
    issue_type: Mapped[str] = mapped_column(String(100))
    secret_id: Mapped[str] = mapped_column(String(32))
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(320))
    paused_until: Mapped[datetime | None] = mapped_column(default=None)
    removed_at: Mapped[datetime | None] = mapped_column(default=None)
    resolves: Mapped[bool] = mapped_column(default=False, server_default=false())
    token_ending: str = ""


INTEGRATIONS = (
    select(Integration, func.coalesce(SealedSecret.ending, "").label("token_ending"))
    .outerjoin(SealedSecret, SealedSecret.id == Integration.secret_id)
    .where(Integration.removed_at.is_(None))
    .order_by(Integration.created_at, Integration.id)
)


class Integrations(Repository):
    def __init__(self, database: Database, secret: bytes, secrets: SealedSecrets) -> None:
        super().__init__(database, secret)
        self._secrets = secrets

    def of_project(
        self, organization_id: int, project_id: int, reader: Reader | None = None
    ) -> list[Integration]:
        """With what this reader may see of each; None: everything."""
        mine = and_(Integration.organization_id == organization_id, Integration.project_id == project_id)
        found = self._integrations(INTEGRATIONS.where(mine))
        if reader is None or reader.role is Role.OWNER:
            return found
        return [replace(each, token_ending="") for each in found]

    def get(self, organization_id: int, project_id: int, integration_id: str) -> Integration:
        for integration in self.of_project(organization_id, project_id):
            if integration.id == integration_id:
                return integration
        raise IntegrationNotFound

    def add(self, organization_id: int, project_id: int, new: NewIntegration, *, actor: str) -> Integration:
        integration_id = uuid4().hex
        with self._database.writing() as connection:
            secret_id = self._secrets.keep(connection, organization_id, PURPOSE, new.token.get_secret_value())
            connection.execute(
                insert(Integration).values(
                    id=integration_id,
                    organization_id=organization_id,
                    project_id=project_id,
                    kind=new.kind,
                    base_url=new.base_url,
                    target=new.target,
                    account=new.account,
                    issue_type=new.issue_type,
                    secret_id=secret_id,
                    created_at=self._database.now(),
                    created_by=actor,
                    resolves=new.resolves,
                )
            )
            subject = f"{new.kind} {new.target}"[:200]
            self._record(connection, organization_id, Action.INTEGRATION_ADDED, actor=actor, subject=subject)
        return self.get(organization_id, project_id, integration_id)

    def set_resolves(
        self, organization_id: int, project_id: int, integration_id: str, resolves: bool, *, actor: str
    ) -> Integration:
        integration = self.get(organization_id, project_id, integration_id)
        with self._database.writing() as connection:
            connection.execute(
                update(Integration).where(Integration.id == integration_id).values(resolves=resolves)
            )
            subject = f"{integration.kind} {integration.target}"[:200]
            self._record(
                connection, organization_id, Action.INTEGRATION_CHANGED, actor=actor, subject=subject
            )
        return replace(integration, resolves=resolves)

    def remove(self, organization_id: int, project_id: int, integration_id: str, *, actor: str) -> None:
        """Removes it and deletes its token; its links stay as last fetched."""
        integration = self.get(organization_id, project_id, integration_id)
        with self._database.writing() as connection:
            connection.execute(
                update(Integration)
                .where(Integration.id == integration_id)
                .values(removed_at=self._database.now())
            )
            self._secrets.drop(connection, organization_id, integration.secret_id)
            subject = f"{integration.kind} {integration.target}"[:200]
            self._record(
                connection, organization_id, Action.INTEGRATION_REMOVED, actor=actor, subject=subject
            )

    def pause(self, integration_id: str, until: datetime) -> None:
        """Records that its tracker is not to be asked before a moment."""
        with self._database.writing() as connection:
            connection.execute(
                update(Integration).where(Integration.id == integration_id).values(paused_until=until)
            )

    def by_ids(self, integration_ids: Collection[str]) -> dict[str, Integration]:
        """Integrations of any organization, without removed ones."""
        wanted = INTEGRATIONS.where(Integration.id.in_(integration_ids))
        return {integration.id: integration for integration in self._integrations(wanted)}

    def _integrations(self, query: Select[Any]) -> list[Integration]:
        with self._database.reading() as connection:
            return objects(Integration, connection.execute(query))
