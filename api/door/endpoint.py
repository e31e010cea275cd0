"""Sentry's protocol: POST /api/{project_id}/envelope/ and /store/, as SDKs of all languages speak it."""

from typing import Annotated

from anyio import to_thread
from errata_wire.limits import INTAKE_BODY_MAX_BYTES
from errata_wire.refusal import Refused
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from api.client_address import address_of
from api.context import Context, ContextDependency
from api.door.door import Door, Head
from api.door.refusal import response_to
from api.ingest.accept import Ingest
from api.ingest.endpoint import ingest_of, read_body
from api.problems import problem, responses
from errata.errors import ErrataError

router = APIRouter(tags=["sentry"])
# Of bodies whose sender is known only by what is in them.
NO_ORGANIZATION = 0
CODES = (
    "invalid_envelope",
    "key_refused",
    "too_large",
    "unsupported_encoding",
    "rate_limited",
    "spool_unavailable",
)


def sentry_parameters(
    sentry_key: Annotated[str, Query(description="The DSN's key.")] = "",
    sentry_version: Annotated[str, Query(description="Of the protocol: 7.")] = "",
    sentry_client: Annotated[str, Query(description="The SDK and its version.")] = "",
) -> None:
    """What SDKs put into the address."""


def door_of(request: Request) -> Door:
    door = request.app.state.door
    assert isinstance(door, Door)
    return door


DoorDependency = Annotated[Door, Depends(door_of)]


async def take_envelope(
    project_id: int,
    request: Request,
    door: DoorDependency,
    context: ContextDependency,
    ingest: Annotated[Ingest, Depends(ingest_of)],
) -> Response:
    """Answers once every item is on disk. A key `errata_public_…` is for programs that anyone can read, such
    as pages; `errata_app_…` is for servers."""
    return await _answered(_head(request, project_id, is_event=False), request, door, context, ingest)


async def take_event(
    project_id: int,
    request: Request,
    door: DoorDependency,
    context: ContextDependency,
    ingest: Annotated[Ingest, Depends(ingest_of)],
) -> Response:
    """The older form: one event without an envelope."""
    return await _answered(_head(request, project_id, is_event=True), request, door, context, ingest)


async def greet_page(project_id: int, request: Request, door: DoorDependency) -> Response:
    """The answer to a browser that asks whether a page may send."""
    return Response(status_code=204, headers=door.cors_headers(_head(request, project_id, is_event=False)))


async def _answered(head: Head, request: Request, door: Door, context: Context, ingest: Ingest) -> Response:
    try:
        sender = await to_thread.run_sync(door.greet, head, limiter=context.door_limiter)
        with ingest.bodies.hold(sender.organization_id if sender else NO_ORGANIZATION) as held:
            body = await read_body(request, INTAKE_BODY_MAX_BYTES, held)
            named = await to_thread.run_sync(door.take, head, body, limiter=context.door_limiter)
        response: Response = JSONResponse(named)
    except Refused as refused:
        response = response_to(request, refused)
    except ErrataError as error:
        response = problem(request, error)
    response.headers.update(door.cors_headers(head))
    return response


def _head(request: Request, project_id: int, *, is_event: bool) -> Head:
    headers = {name.lower(): value for name, value in request.headers.items()}
    scope = request.scope
    query = scope["query_string"].decode("latin-1")
    return Head(project_id, scope["path"], query, headers, address_of(scope), is_event)


for kind, endpoint in (("envelope", take_envelope), ("store", take_event)):
    for end in ("/", ""):
        path = f"/api/{{project_id:int}}/{kind}{end}"
        router.add_api_route(
            path,
            endpoint,
            methods=["POST"],
            operation_id=f"{endpoint.__name__}{'' if end else '_without_slash'}",
            summary="Take an envelope of a Sentry SDK"
            if kind == "envelope"
            else "Take one event of a Sentry SDK",
            dependencies=[Depends(sentry_parameters)],
            responses=responses(*CODES),
            include_in_schema=bool(end),
        )
        router.add_api_route(path, greet_page, methods=["OPTIONS"], include_in_schema=False)
