"""Invitations to the organization, and links by which its people choose a new password."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, ConfirmedOwnerDependency, OwnerDependency
from api.context import Context, ContextDependency
from api.link_mail import Mailed, address_of, mail_link
from api.parameters import IdInPath, Moment
from api.problems import responses
from api.rest.members import Slugs
from api.shown import Shown
from errata.state.one_time_link import OneTimeLink
from errata.state.users import Role

router = APIRouter(tags=["people"])

OWNER_CODES = ("invalid_parameter", "invalid_api_key", "csrf_failed", "forbidden", "state_unavailable")


class Invitation(Shown):
    id: int
    email: str
    role: Role
    projects: list[str] | None = Field(description="Slugs of the projects they will see; null: all.")
    created_at: Moment
    created_by: str
    expires_at: Moment


class InvitationList(BaseModel):
    invitations: list[Invitation]


class NewInvitation(BaseModel):
    email: str = Field(min_length=3, max_length=320)
    role: Role
    projects: Slugs | None = Field(None, description="Slugs of the projects they will see; null: all.")


class Link(BaseModel):
    url: str = Field(description="Works once; shown only in this response.")
    expires_at: Moment
    mail: Mailed = Field(description="Whether the link was mailed too; `off`: there is no mail server.")


class CreatedInvitation(Invitation, Link):
    pass


@router.get(
    "/api/invitations",
    operation_id="invitations",
    summary="List open invitations",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable"),
)
def invitations(owner: OwnerDependency, context: ContextDependency) -> InvitationList:
    """Newest first, without accepted, revoked and expired ones."""
    found = context.state.one_time_links.open_invitations(owner.organization_id)
    return InvitationList(invitations=[_shown(context, link) for link in found])


@router.post(
    "/api/invitations",
    operation_id="invite",
    summary="Invite someone",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*OWNER_CODES, "password_required", "project_not_found", "user_exists"),
)
def invite(
    wanted: NewInvitation, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> CreatedInvitation:
    """The link works for seven days. An earlier invitation for the address stops working. Someone with an
    account in
    another organization joins with their existing password."""
    created = context.state.one_time_links.invite(
        owner.organization_id, wanted.email, wanted.role, wanted.projects, actor=owner.email
    )
    return CreatedInvitation.of(
        _shown(context, created.link),
        url=address_of(context, created),
        mail=mail_link(context, created),
    )


@router.delete(
    "/api/invitations/{invitation_id}",
    operation_id="revoke_invitation",
    summary="Revoke an open invitation",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*OWNER_CODES, "invitation_not_found"),
)
def revoke_invitation(invitation_id: IdInPath, owner: OwnerDependency, context: ContextDependency) -> None:
    context.state.one_time_links.revoke_invitation(owner.organization_id, invitation_id, actor=owner.email)


@router.post(
    "/api/members/{member_id}/password-link",
    operation_id="make_password_link",
    summary="Create a link for someone to set a new password",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*OWNER_CODES, "password_required", "member_not_found", "member_elsewhere"),
)
def make_password_link(
    member_id: IdInPath, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> Link:
    """For someone who lost their password. The link works for a day and replaces an earlier one.

    The password stays valid until the link is used, which ends all of the user's sessions. Refused for
    someone
    who also belongs to another organization, since the password is valid there too.
    """
    created = context.state.one_time_links.password_link(owner.organization_id, member_id, actor=owner.email)
    return Link(
        url=address_of(context, created),
        expires_at=created.link.expires_at,
        mail=mail_link(context, created),
    )


def _shown(context: Context, link: OneTimeLink) -> Invitation:
    projects = context.state.projects.slugs(link.organization_id, link.project_ids)
    return Invitation.of(link, projects=projects)
