"""DSNs of a project: what SDKs send to this service with, and the pages that may."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.dsns import dsns_of
from api.parameters import Moment
from api.problems import responses
from api.rest.projects import CHANGE_CODES, ServiceOfKey
from api.shown import Shown
from errata.dsn import dsn_of

router = APIRouter(tags=["projects"])

CODES = ("invalid_api_key", "project_not_found", "state_unavailable")


class DsnShown(Shown):
    id: int = Field(description="ID of its public key; `DELETE …/app-keys/{id}` revokes it.")
    dsn: str
    service: str = Field(description="Empty for the project-wide DSN.")
    created_at: Moment


class DsnList(BaseModel):
    dsns: list[DsnShown]


class OriginsSent(BaseModel):
    """Origins such as `https://shop.example.com` or `https://*.example.com`; none, or `*`: all origins."""

    model_config = ConfigDict(extra="forbid")

    origins: list[str]


class OriginsShown(Shown):
    origins: list[str] = Field(description="`*` alone: all origins.")
    changed_at: Moment | None = Field(description="Null: the default.")
    changed_by: str


@router.get(
    "/api/projects/{slug}/dsns",
    operation_id="dsns",
    summary="List the project's DSNs",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def dsns(slug: str, asking: CallerDependency, context: ContextDependency) -> DsnList:
    """Only DSNs in use. Their keys are public: they can send to the project, but not read anything."""
    found = dsns_of(context, asking.organization_id, asking.project(context, slug))
    return DsnList(dsns=[DsnShown.of(dsn) for dsn in found])


@router.post(
    "/api/projects/{slug}/dsns",
    operation_id="add_dsn",
    summary="Add a DSN for a service",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found", "app_key_exists"),
)
def add_dsn(
    slug: str, wanted: ServiceOfKey, asking: ManagerDependency, context: ContextDependency
) -> DsnShown:
    project = asking.project(context, slug)
    issued = context.state.keys.app.create(
        asking.organization_id, slug, wanted.service, actor=asking.actor, is_public=True
    )
    dsn = dsn_of(context.base_url, issued.key, project.id)
    return DsnShown.of(issued, dsn=dsn, service=wanted.service)


@router.get(
    "/api/projects/{slug}/origins",
    operation_id="origins",
    summary="List the origins that may send events",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def origins(slug: str, asking: CallerDependency, context: ContextDependency) -> OriginsShown:
    return OriginsShown.of(context.state.allowed_origins.get(asking.organization_id, slug))


@router.put(
    "/api/projects/{slug}/origins",
    operation_id="change_origins",
    summary="Change the origins that may send events",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found"),
)
def change_origins(
    slug: str, sent: OriginsSent, asking: ManagerDependency, context: ContextDependency
) -> OriginsShown:
    """Envelopes from pages of other origins are then refused. Programs other than browsers send no origin and
    aren't affected."""
    stored = context.state.allowed_origins.replace(
        asking.organization_id, slug, sent.origins, actor=asking.actor
    )
    return OriginsShown.of(stored)
