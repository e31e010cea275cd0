"""Tokens of one project, each with its capabilities, for programs that must not hold the API key."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, ConfirmedManagerDependency, ManagerDependency
from api.context import ContextDependency
from api.parameters import IdInPath, Moment
from api.problems import responses
from api.shown import Shown
from errata.one_line import NAME
from errata.state.capability import Capability
from errata.state.project_tokens import LONGEST_DAYS, LONGEST_NAME

router = APIRouter(tags=["keys"])

CODES = ("invalid_parameter", "invalid_api_key", "forbidden", "project_not_found", "state_unavailable")


CAPABILITIES = "What it may do. " + "; ".join(f"`{each}`: {each.words}" for each in Capability) + "."


class ProjectTokenShown(Shown):
    id: int
    capabilities: list[Capability] = Field(description=CAPABILITIES)
    name: str
    prefix: str
    created_at: Moment
    created_by: str
    expires_at: Moment
    last_used_at: Moment | None


class ProjectTokenList(BaseModel):
    tokens: list[ProjectTokenShown]


class NewProjectToken(BaseModel):
    model_config = ConfigDict(extra="forbid")

    capabilities: list[Capability] = Field(min_length=1, description=CAPABILITIES)
    name: str = Field(
        min_length=1, max_length=LONGEST_NAME, pattern=NAME, description="Who uses it, such as a CI pipeline."
    )
    days: int = Field(90, ge=1, le=LONGEST_DAYS, description="Days until it expires.")


class CreatedProjectTokenShown(ProjectTokenShown):
    token: str = Field(description="Shown only in this response; send it as `Authorization: Bearer <token>`.")


@router.get(
    "/api/projects/{slug}/tokens",
    operation_id="project_tokens",
    summary="List a project's access tokens",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def project_tokens(slug: str, asking: ManagerDependency, context: ContextDependency) -> ProjectTokenList:
    """Valid ones, newest first."""
    found = context.state.project_tokens.of_project(asking.organization_id, slug)
    return ProjectTokenList(tokens=[ProjectTokenShown.of(one) for one in found])


@router.post(
    "/api/projects/{slug}/tokens",
    operation_id="create_project_token",
    summary="Create an access token",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CODES, "csrf_failed", "password_required"),
)
def create_project_token(
    slug: str, wanted: NewProjectToken, asking: ConfirmedManagerDependency, context: ContextDependency
) -> CreatedProjectTokenShown:
    """The token is valid for this project only and can't deliver events."""
    created = context.state.project_tokens.create(
        asking.organization_id, slug, wanted.capabilities, wanted.name, wanted.days, actor=asking.actor
    )
    return CreatedProjectTokenShown.of(created.token, token=created.text)


@router.delete(
    "/api/projects/{slug}/tokens/{token_id}",
    operation_id="revoke_project_token",
    summary="Revoke an access token",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CODES, "csrf_failed", "project_token_not_found"),
)
def revoke_project_token(
    slug: str,
    token_id: IdInPath,
    asking: ManagerDependency,
    context: ContextDependency,
) -> None:
    """Requests with it are refused immediately."""
    context.state.project_tokens.revoke(asking.organization_id, slug, token_id, actor=asking.actor)
