"""People who join an organization, with the password of whoever was there first."""

from collections.abc import Sequence

from sqlalchemy import select

from errata.state import Store
from errata.state.users import Role, User


def joins(
    store: Store,
    organization_id: int,
    email: str,
    role: Role = Role.MEMBER,
    project_ids: Sequence[int] | None = None,
) -> int:
    """The id of the user, who exists already or is made."""
    with store.database.writing() as connection:
        user_id = connection.execute(select(User.id).where(User.email == email)).scalar_one_or_none()
        if user_id is None:
            known = connection.execute(select(User.password_hash).order_by(User.id).limit(1)).scalar_one()
            user_id = store.users.create(connection, organization_id, email, known)
        store.members.join(connection, organization_id, user_id, role, project_ids, actor="test")
    return user_id
