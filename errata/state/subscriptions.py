"""Subscriptions: who follows which issue.

A subscription stays with the issue it was made of. Once that is merged, it counts for the issue it is
part of.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, insert, select
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import ForeignKey
from sqlalchemy.types import String

from errata.state.notifications import sees_project
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.table import Table, objects
from errata.state.users import Membership, User


class Subscription(Table):
    __tablename__ = "subscriptions"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    issue_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    created_at: Mapped[datetime]
    email: str = ""


class Subscriptions(Repository):
    def of_projects(self, project_ids: Sequence[int]) -> list[Subscription]:
        """Those of people who see the project, by issue and the moment they began."""
        query = (
            select(Subscription, User.email)
            .join(User, User.id == Subscription.user_id)
            .join(ProjectRow, ProjectRow.id == Subscription.project_id)
            .join(Membership, sees_project(Subscription.user_id))
            .where(Subscription.project_id.in_(project_ids))
            .order_by(Subscription.issue_id, Subscription.created_at, Subscription.user_id)
        )
        with self._database.reading() as connection:
            return objects(Subscription, connection.execute(query))

    def followed_projects(self) -> list[int]:
        """Projects with subscriptions."""
        query = (
            select(Subscription.project_id)
            .join(ProjectRow, ProjectRow.id == Subscription.project_id)
            .where(ProjectRow.deleted_at.is_(None))
            .distinct()
            .order_by(Subscription.project_id)
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def follow(self, project_id: int, issue_id: str, user_id: int) -> None:
        """Repeated, it changes nothing."""
        own = _own(project_id, user_id, [issue_id])
        with self._database.writing_alone() as connection:
            if not connection.execute(select(exists().where(*own))).scalar_one():
                connection.execute(
                    insert(Subscription).values(
                        project_id=project_id,
                        issue_id=issue_id,
                        user_id=user_id,
                        created_at=self._database.now(),
                    )
                )

    def unfollow(self, project_id: int, issue_ids: Sequence[str], user_id: int) -> None:
        """Ends the subscriptions of an issue and of those merged into it."""
        with self._database.writing() as connection:
            connection.execute(delete(Subscription).where(*_own(project_id, user_id, issue_ids)))

    def forget_issues(self, deleted: Mapping[tuple[int, str], datetime]) -> None:
        """Ends subscriptions to deleted issues, by project and id, made before their deletion."""
        self._forget_issues(Subscription, Subscription.created_at, deleted)


def _own(project_id: int, user_id: int, issue_ids: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    return (
        Subscription.project_id == project_id,
        Subscription.user_id == user_id,
        Subscription.issue_id.in_(issue_ids),
    )
