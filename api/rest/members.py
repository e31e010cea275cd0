"""The people of an organization, and their roles."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, CallerDependency, ConfirmedOwnerDependency
from api.context import ContextDependency
from api.parameters import IdInPath, Moment
from api.problems import responses
from api.shown import Shown
from errata.state.projects import LONGEST_SLUG
from errata.state.users import Role

router = APIRouter(tags=["people"])

Slugs = Annotated[list[Annotated[str, Field(max_length=LONGEST_SLUG)]], Field(max_length=1000)]
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


class Member(Shown):
    id: int
    email: str
    role: Role
    projects: list[str] | None = Field(
        description="Slugs of the projects that both they and the caller see; null: all."
    )
    created_at: Moment = Field(description="When they joined.")
    has_two_steps: bool | None = Field(
        description="Whether two-factor authentication is on; null: the caller doesn't see all projects."
    )


class MemberList(BaseModel):
    members: list[Member]


class RoleChange(BaseModel):
    role: Role = Field(
        description=(
            "Viewers can read; members can also work on issues, searches and annotations; owners can do "
            "everything."
        )
    )


class ProjectsChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    projects: Slugs | None = Field(description="Slugs; null: all projects, including future ones.")


@router.get(
    "/api/members",
    operation_id="members",
    summary="List the people of the organization",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "state_unavailable"),
)
def members(asking: CallerDependency, context: ContextDependency) -> MemberList:
    """Sorted by email address. Issues can be assigned to them. Callers who can't see all projects see only
    the people in theirs."""
    found = context.state.users.of_organization(asking.organization_id, told_of=asking.project_ids)
    if asking.project_ids is not None:
        return MemberList(members=[Member.of(person, has_two_steps=None) for person in found])
    with_two_steps = context.state.authenticators.are_on([person.id for person in found])
    return MemberList(
        members=[Member.of(person, has_two_steps=person.id in with_two_steps) for person in found]
    )


@router.put(
    "/api/members/{member_id}",
    operation_id="change_role",
    summary="Change someone's role",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def change_role(
    member_id: IdInPath, change: RoleChange, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> None:
    """Takes effect at the person's next request. The last owner can't be changed."""
    context.state.members.change_role(owner.organization_id, member_id, change.role, actor=owner.email)


@router.put(
    "/api/members/{member_id}/projects",
    operation_id="change_projects",
    summary="Change which projects someone sees",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found"),
)
def change_projects(
    member_id: IdInPath,
    change: ProjectsChange,
    owner: ConfirmedOwnerDependency,
    context: ContextDependency,
) -> None:
    """Takes effect at their next request. Other projects are hidden from them. Owners see all projects."""
    context.state.members.change_projects(
        owner.organization_id, member_id, change.projects, actor=owner.email
    )


@router.delete(
    "/api/members/{member_id}",
    operation_id="remove_member",
    summary="Remove someone from the organization",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def remove_member(member_id: IdInPath, owner: ConfirmedOwnerDependency, context: ContextDependency) -> None:
    """Their sessions end immediately. What they wrote is kept. The last owner can't be removed."""
    context.state.members.remove(owner.organization_id, member_id, actor=owner.email)
