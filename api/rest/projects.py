"""Projects and their application keys."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from api.authentication import (
    DECLARED,
    CallerDependency,
    ConfirmedManagerDependency,
    ConfirmedOwnerDependency,
    ManagerDependency,
)
from api.context import ContextDependency
from api.credentials_file import keep_key
from api.erasures import plan
from api.erasures.subject import Asked
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.one_line import NAME, ONE_LINE
from errata.state.keys import SERVICE
from errata.state.repository import SLUG
from errata.warehouse.queries.erasures.log import Kind

# As large as the column it is compared with.
KeyId = Annotated[int, Path(ge=1, le=(1 << 31) - 1)]

router = APIRouter(tags=["projects"])

CHANGE_CODES = ("invalid_parameter", "invalid_api_key", "csrf_failed", "forbidden", "state_unavailable")


class ProjectShown(Shown):
    id: int
    slug: str
    name: str
    platform: str
    app_key_prefix: str
    created_at: Moment


class ProjectList(BaseModel):
    projects: list[ProjectShown]


class NewProject(BaseModel):
    name: str = Field(min_length=1, max_length=200, pattern=NAME)
    platform: str = Field("", max_length=64, pattern=ONE_LINE, description="Such as `python`.")
    slug: str = Field(
        "",
        max_length=50,
        description="Derived from the name if empty.",
        json_schema_extra={"pattern": f"^({SLUG.pattern})?$"},
    )


class ProjectChange(BaseModel):
    name: str = Field(min_length=1, max_length=200, pattern=NAME)
    platform: str = Field("", max_length=64, pattern=ONE_LINE, description="Such as `python`.")


class CreatedProjectShown(ProjectShown):
    app_key: str


class AppKeyShown(Shown):
    id: int
    service: str = Field(description="Empty for the project-wide key.")
    prefix: str
    state: str = Field(description="`current`, `replaced` (routes for 30 days) or `revoked`.")
    created_at: Moment
    replaced_at: Moment | None
    revoked_at: Moment | None


class AppKeyList(BaseModel):
    app_keys: list[AppKeyShown]


class ServiceOfKey(BaseModel):
    service: str = Field(
        "",
        max_length=32,
        description="Empty for the project-wide key.",
        json_schema_extra={"pattern": f"^({SERVICE.pattern})?$"},
    )


class WholeAppKey(BaseModel):
    app_key: str


class IssuedAppKey(Shown):
    id: int
    app_key: str = Field(validation_alias="key")
    prefix: str
    service: str
    created_at: Moment


@router.get(
    "/api/projects",
    operation_id="projects",
    summary="List the organization's projects",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "state_unavailable"),
)
def projects(asking: CallerDependency, context: ContextDependency) -> ProjectList:
    listed = context.state.projects.visible(asking)
    return ProjectList(projects=[ProjectShown.of(project) for project in listed])


@router.post(
    "/api/projects",
    operation_id="create_project",
    summary="Create a project",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_exists"),
)
def create_project(
    new: NewProject, asking: ManagerDependency, context: ContextDependency
) -> CreatedProjectShown:
    """With its first application key."""
    created = context.state.projects.create(
        asking.organization_id, new.name, new.platform, new.slug, actor=asking.actor
    )
    return CreatedProjectShown.of(created.project, app_key=created.app_key.key)


@router.get(
    "/api/projects/{slug}",
    operation_id="project",
    summary="Get a project",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "project_not_found", "state_unavailable"),
)
def project(slug: str, asking: CallerDependency, context: ContextDependency) -> ProjectShown:
    return ProjectShown.of(asking.project(context, slug))


@router.put(
    "/api/projects/{slug}",
    operation_id="change_project",
    summary="Rename a project",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found"),
)
def change_project(
    slug: str, change: ProjectChange, asking: ManagerDependency, context: ContextDependency
) -> ProjectShown:
    """The slug doesn't change, so addresses keep working."""
    changed = context.state.projects.change(
        asking.organization_id, slug, change.name, change.platform, actor=asking.actor
    )
    return ProjectShown.of(changed)


@router.delete(
    "/api/projects/{slug}",
    operation_id="delete_project",
    summary="Delete a project and erase its data",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(
        *CHANGE_CODES, "password_required", "project_not_found", "warehouse_unavailable", "rows_not_stored"
    ),
)
def delete_project(slug: str, asking: ConfirmedManagerDependency, context: ContextDependency) -> None:
    """Its pages, keys, rules and share links stop working immediately, and its data is erased within minutes.
    The activity log records when the rows are gone. A signed-in owner must have confirmed their password
    recently."""
    project = asking.project(context, slug)
    whole = Asked(Kind.PROJECT, "", slug)
    plan.ask(context, asking.organization_id, project.id, whole, asking.actor, is_deleted=True)
    context.state.projects.delete(asking.organization_id, slug, actor=asking.actor)


@router.get(
    "/api/projects/{slug}/app-keys",
    operation_id="app_keys",
    summary="List the project's application key prefixes",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "project_not_found", "state_unavailable"),
)
def app_keys(slug: str, asking: CallerDependency, context: ContextDependency) -> AppKeyList:
    listed = context.state.keys.app.of_project(asking.organization_id, slug)
    return AppKeyList(app_keys=[AppKeyShown.of(key) for key in listed])


@router.post(
    "/api/projects/{slug}/app-keys",
    operation_id="add_app_key",
    summary="Add an application key for a service",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found", "app_key_exists"),
)
def add_app_key(
    slug: str, wanted: ServiceOfKey, asking: ManagerDependency, context: ContextDependency
) -> IssuedAppKey:
    issued = context.state.keys.app.create(asking.organization_id, slug, wanted.service, actor=asking.actor)
    return IssuedAppKey.of(issued, service=wanted.service)


@router.post(
    "/api/projects/{slug}/app-keys/regenerate",
    operation_id="regenerate_app_key",
    summary="Regenerate the application key of the project or a service",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "password_required", "project_not_found", "app_key_not_found"),
)
def regenerate_app_key(
    slug: str,
    asking: ConfirmedManagerDependency,
    context: ContextDependency,
    wanted: ServiceOfKey | None = None,
) -> IssuedAppKey:
    """Lines with the old key are accepted for another 30 days."""
    service = wanted.service if wanted else ""
    issued = context.state.keys.app.regenerate(asking.organization_id, slug, service, actor=asking.actor)
    if not service:
        keep_key(context, [slug], "app_key", issued.key)
    return IssuedAppKey.of(issued, service=service)


@router.post(
    "/api/projects/{slug}/app-keys/{key_id}/view",
    operation_id="view_app_key",
    summary="View a whole application key",
    dependencies=DECLARED,
    responses=responses(
        *CHANGE_CODES,
        "password_required",
        "project_not_found",
        "app_key_not_found",
        "key_not_kept",
        "secret_unreadable",
    ),
)
def view_app_key(
    slug: str, key_id: KeyId, owner: ConfirmedOwnerDependency, context: ContextDependency
) -> WholeAppKey:
    """Only for signed-in owners. Recorded in the activity log."""
    text = context.state.keys.app.reveal(owner.organization_id, slug, key_id, actor=owner.email)
    return WholeAppKey(app_key=text)


@router.delete(
    "/api/projects/{slug}/app-keys/{key_id}",
    operation_id="revoke_app_key",
    summary="Revoke an application key",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found", "app_key_not_found"),
)
def revoke_app_key(slug: str, key_id: KeyId, asking: ManagerDependency, context: ContextDependency) -> None:
    """Lines with the key are rejected immediately."""
    context.state.keys.app.revoke(asking.organization_id, slug, key_id, actor=asking.actor)
