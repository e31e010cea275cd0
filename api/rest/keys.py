"""The API key: display, rotation and regeneration."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, ConfirmedOwnerDependency, OwnerDependency, WholeCallerDependency
from api.context import Context, ContextDependency
from api.credentials_file import keep_key
from api.key_hosts import KeyState, hosts_of_keys
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.state.errors import NextKeyNotFound

router = APIRouter(tags=["keys"])

CHANGE_CODES = ("invalid_api_key", "csrf_failed", "forbidden", "state_unavailable")
CONFIRMED_CODES = (*CHANGE_CODES, "password_required")


class ApiKeyShown(Shown):
    prefix: str
    created_at: Moment
    last_used_at: Moment | None = Field(description="Accurate to the minute.")


class ApiKeysShown(ApiKeyShown):
    next: ApiKeyShown | None = Field(description="Prepared for a rotation; valid alongside the current key.")
    rotate_by: Moment | None = Field(
        description="Date by which to rotate the key; null if no reminder is set."
    )


class HostShown(Shown):
    host: str = Field(description="Empty for deliveries without a host name, such as those of SDKs.")
    key_prefix: str
    key: KeyState
    last_received_at: Moment


class HostList(BaseModel):
    hosts: list[HostShown]


class WholeApiKey(BaseModel):
    api_key: str


class IssuedApiKey(Shown):
    api_key: str = Field(validation_alias="key")
    prefix: str
    created_at: Moment


@router.get(
    "/api/api-key",
    operation_id="api_key",
    summary="Get the prefixes of the API key and the next one",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable"),
)
def api_key(asking: WholeCallerDependency, context: ContextDependency) -> ApiKeysShown:
    keys = context.state.keys.api
    current, following = keys.get(asking.organization_id), keys.next(asking.organization_id)
    return ApiKeysShown.of(current, next=following, rotate_by=current.rotate_by(context.settings.key_days))


@router.post(
    "/api/api-key/view",
    operation_id="view_api_key",
    summary="View the whole API key",
    dependencies=DECLARED,
    responses=responses(*CONFIRMED_CODES, "key_not_kept", "secret_unreadable"),
)
def view_api_key(owner: ConfirmedOwnerDependency, context: ContextDependency) -> WholeApiKey:
    """Only for signed-in owners. Recorded in the activity log."""
    key = context.state.keys.api.get(owner.organization_id)
    text = context.state.keys.api.reveal(owner.organization_id, key, actor=owner.email)
    return WholeApiKey(api_key=text)


@router.post(
    "/api/api-key/regenerate",
    operation_id="regenerate_api_key",
    summary="Regenerate the API key",
    dependencies=DECLARED,
    responses=responses(*CONFIRMED_CODES),
)
def regenerate_api_key(owner: ConfirmedOwnerDependency, context: ContextDependency) -> IssuedApiKey:
    """The old key stops working immediately, and so does a next key. Only for signed-in owners, so that a
    leaked key can't renew itself."""
    issued = context.state.keys.api.regenerate(owner.organization_id, actor=owner.email)
    _keep(context, owner.organization_id, issued.key)
    return IssuedApiKey.of(issued)


@router.post(
    "/api/api-key/next",
    operation_id="prepare_next_api_key",
    summary="Prepare the next API key, for a rotation without downtime",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CONFIRMED_CODES, "next_key_exists"),
)
def prepare_next_api_key(owner: ConfirmedOwnerDependency, context: ContextDependency) -> IssuedApiKey:
    """It is valid immediately; the current key stays valid until the next one is promoted."""
    return IssuedApiKey.of(context.state.keys.api.prepare(owner.organization_id, actor=owner.email))


@router.post(
    "/api/api-key/next/view",
    operation_id="view_next_api_key",
    summary="View the whole next API key",
    dependencies=DECLARED,
    responses=responses(*CONFIRMED_CODES, "next_key_not_found", "secret_unreadable"),
)
def view_next_api_key(owner: ConfirmedOwnerDependency, context: ContextDependency) -> WholeApiKey:
    key = context.state.keys.api.next(owner.organization_id)
    if key is None:
        raise NextKeyNotFound
    text = context.state.keys.api.reveal(owner.organization_id, key, actor=owner.email)
    return WholeApiKey(api_key=text)


@router.post(
    "/api/api-key/next/promote",
    operation_id="promote_next_api_key",
    summary="Make the next API key the current one",
    dependencies=DECLARED,
    responses=responses(*CONFIRMED_CODES, "next_key_not_found"),
)
def promote_next_api_key(owner: ConfirmedOwnerDependency, context: ContextDependency) -> ApiKeyShown:
    """The previous key stops working immediately."""
    promoted = context.state.keys.api.promote(owner.organization_id, actor=owner.email)
    _keep(context, owner.organization_id, context.state.keys.api.text(owner.organization_id, promoted))
    return ApiKeyShown.of(promoted)


@router.delete(
    "/api/api-key/next",
    operation_id="discard_next_api_key",
    summary="Discard the next API key",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "next_key_not_found"),
)
def discard_next_api_key(owner: OwnerDependency, context: ContextDependency) -> None:
    """Deliveries with it are refused immediately."""
    context.state.keys.api.discard(owner.organization_id, actor=owner.email)


@router.get(
    "/api/api-key/hosts",
    operation_id="hosts_of_api_key",
    summary="List the API keys that hosts deliver with",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "forbidden", "state_unavailable", "warehouse_unavailable"),
)
def hosts_of_api_key(asking: WholeCallerDependency, context: ContextDependency) -> HostList:
    """The key of each host's latest delivery in the last 14 days. Promote the next key once no host uses the
    current one."""
    return HostList(hosts=[HostShown.of(host) for host in hosts_of_keys(context, asking.organization_id)])


def _keep(context: Context, organization_id: int, key: str) -> None:
    projects = [project.slug for project in context.state.projects.of_organization(organization_id)]
    keep_key(context, projects, "api_key", key)
