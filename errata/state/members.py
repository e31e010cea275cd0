"""Roles and removal of an organization's people. It keeps an owner at every moment."""

from sqlalchemy import Connection, Row, delete, func, select, update

from errata.state.activity_actions import Action
from errata.state.errors import LastOwner, MemberNotFound
from errata.state.repository import Repository
from errata.state.tables import notifications, saved_searches, users, web_sessions
from errata.state.users import Role, end_links


class Members(Repository):
    def change_role(self, organization_id: int, user_id: int, role: Role, *, actor: str) -> None:
        """Holds from the next request of the user on. Raises MemberNotFound and LastOwner."""
        # Alone, so that two owners who demote each other at the same time do not leave none.
        with self._database.writing_alone() as connection:
            member = _member(connection, organization_id, user_id)
            if member.role == role.value:
                return
            _keep_an_owner(connection, organization_id, member)
            connection.execute(update(users).where(users.c.id == user_id).values(role=role.value))
            self._record(
                connection,
                organization_id,
                Action.USER_ROLE_CHANGED,
                actor=actor,
                subject=f"{member.email}: {member.role} to {role.value}",
            )

    def remove(self, organization_id: int, user_id: int, *, actor: str) -> None:
        """Ends the user's sessions at once. Annotations and shared searches stay. Raises MemberNotFound and
        LastOwner."""
        with self._database.writing_alone() as connection:
            member = _member(connection, organization_id, user_id)
            _keep_an_owner(connection, organization_id, member)
            connection.execute(
                update(users).where(users.c.id == user_id).values(removed_at=self._database.now())
            )
            end_links(connection, member.email, self._database.now())
            connection.execute(delete(web_sessions).where(web_sessions.c.user_id == user_id))
            connection.execute(delete(notifications).where(notifications.c.user_id == user_id))
            connection.execute(
                delete(saved_searches).where(
                    saved_searches.c.user_id == user_id, saved_searches.c.is_shared.is_(False)
                )
            )
            self._record(connection, organization_id, Action.USER_REMOVED, actor=actor, subject=member.email)


def _member(connection: Connection, organization_id: int, user_id: int) -> Row[tuple[str, str]]:
    query = select(users.c.email, users.c.role).where(
        users.c.id == user_id, users.c.organization_id == organization_id, users.c.removed_at.is_(None)
    )
    member = connection.execute(query).one_or_none()
    if member is None:
        raise MemberNotFound
    return member


def _keep_an_owner(connection: Connection, organization_id: int, member: Row[tuple[str, str]]) -> None:
    """Raises LastOwner if the organization has no other owner than this one, who is to be one no more."""
    counted = select(func.count()).where(
        users.c.organization_id == organization_id,
        users.c.role == Role.OWNER.value,
        users.c.removed_at.is_(None),
    )
    if member.role == Role.OWNER.value and connection.execute(counted).scalar_one() < 2:
        raise LastOwner(member.email)
