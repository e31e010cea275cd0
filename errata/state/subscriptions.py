"""Subscriptions: who follows which issue.

A subscription stays with the issue it was made of. Once that is merged, it counts for the issue it is
part of.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, insert, select

from errata.state.notifications import sees_project
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.tables import subscriptions
from errata.state.users import Membership, User


@dataclass(frozen=True)
class Subscription:
    project_id: int
    issue_id: str
    user_id: int
    email: str


class Subscriptions(Repository):
    def of_projects(self, project_ids: Sequence[int]) -> list[Subscription]:
        """Those of people who see the project, by issue and the moment they began."""
        query = (
            select(subscriptions.c.project_id, subscriptions.c.issue_id, subscriptions.c.user_id, User.email)
            .join(User, User.id == subscriptions.c.user_id)
            .join(ProjectRow, ProjectRow.id == subscriptions.c.project_id)
            .join(Membership, sees_project(subscriptions.c.user_id))
            .where(subscriptions.c.project_id.in_(project_ids))
            .order_by(subscriptions.c.issue_id, subscriptions.c.created_at, subscriptions.c.user_id)
        )
        with self._database.reading() as connection:
            return [Subscription(**row._mapping) for row in connection.execute(query)]

    def followed_projects(self) -> list[int]:
        """Projects with subscriptions."""
        query = (
            select(subscriptions.c.project_id)
            .join(ProjectRow, ProjectRow.id == subscriptions.c.project_id)
            .where(ProjectRow.deleted_at.is_(None))
            .distinct()
            .order_by(subscriptions.c.project_id)
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def follow(self, project_id: int, issue_id: str, user_id: int) -> None:
        """Repeated, it changes nothing."""
        own = _own(project_id, user_id, [issue_id])
        with self._database.writing_alone() as connection:
            if not connection.execute(select(exists().where(*own))).scalar_one():
                connection.execute(
                    insert(subscriptions).values(
                        project_id=project_id,
                        issue_id=issue_id,
                        user_id=user_id,
                        created_at=self._database.now(),
                    )
                )

    def unfollow(self, project_id: int, issue_ids: Sequence[str], user_id: int) -> None:
        """Ends the subscriptions of an issue and of those merged into it."""
        with self._database.writing() as connection:
            connection.execute(delete(subscriptions).where(*_own(project_id, user_id, issue_ids)))

    def forget_issues(self, deleted: Mapping[tuple[int, str], datetime]) -> None:
        """Ends subscriptions to deleted issues, by project and id, made before their deletion."""
        self._forget_issues(subscriptions, subscriptions.c.created_at, deleted)


def _own(project_id: int, user_id: int, issue_ids: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        subscriptions.c.project_id == project_id,
        subscriptions.c.user_id == user_id,
        subscriptions.c.issue_id.in_(issue_ids),
    )
