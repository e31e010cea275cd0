"""The base of each repository of the store."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.orm import InstrumentedAttribute

from errata.state.activity_actions import Action, Activity
from errata.state.database import Database
from errata.state.errors import ProjectNotFound
from errata.state.keys import keyed_hash
from errata.state.origin import address
from errata.state.project import ProjectRow

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
PROJECT_ID = select(ProjectRow.id).where(
    ProjectRow.organization_id == bindparam("organization_id"),
    ProjectRow.slug == bindparam("slug"),
    ProjectRow.deleted_at.is_(None),
)
LOCKED_PROJECT_ID = PROJECT_ID.with_for_update()


class Repository:
    """The base of a repository. Methods that take a connection are steps of a caller's transaction."""

    def __init__(self, database: Database, secret: bytes) -> None:
        self._database = database
        self._secret = secret

    def _hash(self, text: str) -> str:
        return keyed_hash(self._secret, text)

    def _forget_issues(
        self,
        table: type[Any],
        moment: InstrumentedAttribute[datetime],
        deleted: Mapping[tuple[int, str], datetime],
    ) -> None:
        """Deletes rows of deleted issues, by project and id, up to the moment of their deletion."""
        if not deleted:
            return
        with self._database.writing() as connection:
            for (project_id, issue_id), at in deleted.items():
                own = (table.project_id == project_id, table.issue_id == issue_id, moment <= at)
                connection.execute(delete(table).where(*own))

    def _project_id(
        self, connection: Connection, organization_id: int, slug: str, *, for_update: bool = False
    ) -> int:
        if not SLUG.fullmatch(slug):
            raise ProjectNotFound(slug)
        wanted = LOCKED_PROJECT_ID if for_update else PROJECT_ID
        parameters = {"organization_id": organization_id, "slug": slug}
        project_id = connection.execute(wanted, parameters).scalar_one_or_none()
        if project_id is None:
            raise ProjectNotFound(slug)
        return project_id

    def _record(
        self,
        connection: Connection,
        organization_id: int,
        action: Action,
        *,
        actor: str,
        subject: str = "",
        key_prefix: str = "",
        at: datetime | None = None,
    ) -> None:
        """An entry of the activity log, of now if `at` is not given."""
        connection.execute(
            insert(Activity).values(
                organization_id=organization_id,
                at=at or self._database.now(),
                action=action,
                actor=actor,
                # SQLite alone would accept a longer e-mail address.
                subject=subject[:200],
                key_prefix=key_prefix,
                address=address(),
            )
        )
