"""The people of an organization: who joins, their roles and projects, who is removed. It keeps an owner at
every moment."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, true, update

from errata.errors import InvalidParameter
from errata.state.activity_actions import Action
from errata.state.errors import LastOwner, MemberNotFound
from errata.state.notifications import Notification
from errata.state.one_time_link import LinkKind, OneTimeLink, end_password_links
from errata.state.organization import Organization
from errata.state.project import ProjectRow
from errata.state.repository import Repository
from errata.state.saved_searches import SavedSearch
from errata.state.sessions import SessionRow
from errata.state.subscriptions import Subscription
from errata.state.table import objects
from errata.state.users import Membership, ProjectMembership, Role, User, organizations_of


class Members(Repository):
    def organizations_of(self, user_id: int) -> list[Membership]:
        """By name."""
        query = (
            select(Membership, Organization.name.label("organization"))
            .join(Organization, Organization.id == Membership.organization_id)
            .where(Membership.user_id == user_id, Membership.removed_at.is_(None))
            .order_by(Organization.name, Organization.id)
        )
        with self._database.reading() as connection:
            return objects(Membership, connection.execute(query))

    def join(
        self,
        connection: Connection,
        organization_id: int,
        user_id: int,
        role: Role,
        project_ids: Sequence[int] | None = None,
        *,
        actor: str,
    ) -> None:
        """Makes the user a member, who has all projects or these; also someone who was removed before. Ends
        open password links of the user, which an owner elsewhere may hold."""
        now = self._database.now()
        given = {"role": role, "has_all_projects": project_ids is None}
        values = {**given, "created_at": now, "removed_at": None}
        of_both = Membership.user_id == user_id, Membership.organization_id == organization_id
        if not connection.execute(update(Membership).where(*of_both).values(values)).rowcount:
            connection.execute(
                insert(Membership).values(user_id=user_id, organization_id=organization_id, **values)
            )
        _give_projects(connection, organization_id, user_id, project_ids or ())
        email = connection.execute(
            update(User)
            .where(User.id == user_id)
            .values(organization_id=organization_id)
            .returning(User.email)
        ).scalar_one()
        end_password_links(connection, email, now)
        self._record(connection, organization_id, Action.USER_CREATED, actor=actor, subject=email)

    def change_role(self, organization_id: int, user_id: int, role: Role, *, actor: str) -> None:
        """Holds from the next request of the user on. An owner has all projects; open links that a former
        owner made end. Raises MemberNotFound and LastOwner."""
        # Alone, so that two owners who demote each other at the same time do not leave none.
        with self._database.writing_alone() as connection:
            member = _member(connection, organization_id, user_id)
            if member.role is role:
                return
            _keep_an_owner(connection, organization_id, member)
            _change(connection, organization_id, user_id, role=role)
            if role is Role.OWNER:
                _change(connection, organization_id, user_id, has_all_projects=True)
                _give_projects(connection, organization_id, user_id, ())
            _end_links_made_by(connection, organization_id, member.email, self._database.now())
            self._record(
                connection,
                organization_id,
                Action.USER_ROLE_CHANGED,
                actor=actor,
                subject=f"{member.email}: {member.role} to {role}",
            )

    def change_projects(
        self, organization_id: int, user_id: int, slugs: Sequence[str] | None, *, actor: str
    ) -> None:
        """Gives the user these projects, or all of them: from their next request on. Raises MemberNotFound,
        ProjectNotFound, and InvalidParameter for an owner, who has all projects."""
        with self._database.writing_alone() as connection:
            member = _member(connection, organization_id, user_id)
            if member.role is Role.OWNER and slugs is not None:
                raise InvalidParameter("projects", "owners see all projects; change the role first")
            ids = None if slugs is None else self.project_ids(connection, organization_id, slugs)
            _change(connection, organization_id, user_id, has_all_projects=ids is None)
            _give_projects(connection, organization_id, user_id, ids or ())
            self._record(
                connection,
                organization_id,
                Action.USER_PROJECTS_CHANGED,
                actor=actor,
                subject=f"{member.email}: {'all projects' if slugs is None else described(slugs)}"[:200],
            )

    def project_ids(self, connection: Connection, organization_id: int, slugs: Sequence[str]) -> list[int]:
        """Raises ProjectNotFound."""
        return [self._project_id(connection, organization_id, slug) for slug in dict.fromkeys(slugs)]

    def remove(self, organization_id: int, user_id: int, *, actor: str) -> None:
        """Ends the user's sessions in the organization at once. Annotations and shared searches stay. Raises
        MemberNotFound and LastOwner."""
        now = self._database.now()
        with self._database.writing_alone() as connection:
            member = _member(connection, organization_id, user_id)
            _keep_an_owner(connection, organization_id, member)
            _change(connection, organization_id, user_id, removed_at=now)
            _give_projects(connection, organization_id, user_id, ())
            connection.execute(
                delete(SessionRow).where(
                    SessionRow.user_id == user_id, SessionRow.organization_id == organization_id
                )
            )
            left = organizations_of(connection, user_id)
            if left:
                connection.execute(
                    update(User)
                    .where(User.id == user_id, User.organization_id == organization_id)
                    .values(organization_id=left[0])
                )
            else:
                end_password_links(connection, member.email, now)
            _forget_what_is_theirs(connection, organization_id, user_id, member.email, now)
            _end_links_made_by(connection, organization_id, member.email, now)
            self._record(connection, organization_id, Action.USER_REMOVED, actor=actor, subject=member.email)


def was_member(connection: Connection, organization_id: int, user_id: int) -> bool:
    """Whether the user is or ever was in the organization."""
    query = select(Membership.user_id).where(
        Membership.user_id == user_id, Membership.organization_id == organization_id
    )
    return connection.execute(query).one_or_none() is not None


def described(slugs: Sequence[str]) -> str:
    return ", ".join(slugs) or "no project"


def _member(connection: Connection, organization_id: int, user_id: int) -> Row[tuple[str, Role]]:
    query = (
        select(User.email, Membership.role)
        .join(Membership, Membership.user_id == User.id)
        .where(
            User.id == user_id,
            Membership.organization_id == organization_id,
            Membership.removed_at.is_(None),
        )
    )
    member = connection.execute(query).one_or_none()
    if member is None:
        raise MemberNotFound
    return member


def _change(connection: Connection, organization_id: int, user_id: int, **values: object) -> None:
    connection.execute(
        update(Membership)
        .where(Membership.user_id == user_id, Membership.organization_id == organization_id)
        .values(**values)
    )


def _give_projects(
    connection: Connection, organization_id: int, user_id: int, project_ids: Sequence[int]
) -> None:
    """Replaces the user's chosen projects of this organization."""
    of_organization = select(ProjectRow.id).where(ProjectRow.organization_id == organization_id)
    connection.execute(
        delete(ProjectMembership).where(
            ProjectMembership.user_id == user_id, ProjectMembership.project_id.in_(of_organization)
        )
    )
    for project_id in project_ids:
        connection.execute(insert(ProjectMembership).values(user_id=user_id, project_id=project_id))


def _forget_what_is_theirs(
    connection: Connection, organization_id: int, user_id: int, email: str, now: datetime
) -> None:
    """Deletes notifications, subscriptions and personal searches in the organization, and ends open
    invitations to it."""
    of_organization = select(ProjectRow.id).where(ProjectRow.organization_id == organization_id)
    theirs: tuple[type[Any], ...] = (Notification, Subscription, SavedSearch)
    for table in theirs:
        of_user = table.user_id == user_id, table.project_id.in_(of_organization)
        is_personal = SavedSearch.is_shared.is_(False) if table is SavedSearch else true()
        connection.execute(delete(table).where(*of_user, is_personal))
    own = OneTimeLink.email == email, OneTimeLink.kind == LinkKind.INVITATION
    _end_links(connection, organization_id, now, *own)


def _end_links_made_by(connection: Connection, organization_id: int, email: str, now: datetime) -> None:
    """Ends open links that the person made for others: they saw them, and could enter by them."""
    for_others = OneTimeLink.created_by == email, OneTimeLink.email != email
    _end_links(connection, organization_id, now, *for_others)


def _end_links(
    connection: Connection, organization_id: int, now: datetime, *which: ColumnElement[bool]
) -> None:
    connection.execute(
        update(OneTimeLink)
        .where(OneTimeLink.organization_id == organization_id, OneTimeLink.ended_at.is_(None), *which)
        .values(ended_at=now)
    )


def _keep_an_owner(connection: Connection, organization_id: int, member: Row[tuple[str, Role]]) -> None:
    """Raises LastOwner if the organization has no other owner than this one, who is to be one no more."""
    counted = select(func.count()).where(
        Membership.organization_id == organization_id,
        Membership.role == Role.OWNER,
        Membership.removed_at.is_(None),
    )
    if member.role is Role.OWNER and connection.execute(counted).scalar_one() < 2:
        raise LastOwner(member.email)
