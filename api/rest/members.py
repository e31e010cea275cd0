"""The people of an organization, and their roles."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency, ConfirmedOwnerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from errata.state.users import Person, Role

router = APIRouter(tags=["people"])

LARGEST_ID = (1 << 31) - 1
MemberId = Annotated[int, Path(ge=1, le=LARGEST_ID)]
CHANGE_CODES = (
    "invalid_parameter",
    "invalid_api_key",
    "csrf_failed",
    "forbidden",
    "password_required",
    "member_not_found",
    "last_owner",
    "state_unavailable",
)


class Member(BaseModel):
    id: int
    email: str
    role: Role
    created_at: Moment
    has_two_steps: bool = Field(description="Whether two-step sign-in is on.")

    @classmethod
    def of(cls, person: Person, has_two_steps: bool) -> "Member":
        return cls(
            id=person.id,
            email=person.email,
            role=Role(person.role),
            created_at=person.created_at,
            has_two_steps=has_two_steps,
        )


class MemberList(BaseModel):
    members: list[Member]


class RoleChange(BaseModel):
    role: Role = Field(
        description="A viewer reads; a member works on issues, searches and annotations too; an owner may do "
        "everything."
    )


@router.get(
    "/api/members",
    operation_id="members",
    summary="List the people of the organization",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "state_unavailable"),
)
def members(asking: CallerDependency, context: ContextDependency) -> MemberList:
    """By email address. Issues can be assigned to them."""
    found = context.state.users.of_organization(asking.organization_id)
    with_two_steps = context.state.authenticators.are_on([person.id for person in found])
    return MemberList(members=[Member.of(person, person.id in with_two_steps) for person in found])


@router.put(
    "/api/members/{member_id}",
    operation_id="change_role",
    summary="Change someone's role",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def change_role(
    member_id: MemberId, change: RoleChange, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> None:
    """Holds from the next request on. The last owner stays one."""
    context.state.members.change_role(owner.organization_id, member_id, change.role, actor=owner.email)


@router.delete(
    "/api/members/{member_id}",
    operation_id="remove_member",
    summary="Remove someone from the organization",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def remove_member(member_id: MemberId, owner: ConfirmedOwnerDependency, context: ContextDependency) -> None:
    """Their sessions end at once. What they wrote stays. The last owner can't be removed."""
    context.state.members.remove(owner.organization_id, member_id, actor=owner.email)
