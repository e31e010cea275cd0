"""Sentry's protocol: POST /api/{project_id}/envelope/ and /store/, as SDKs of all languages speak it."""

from functools import partial
from typing import Annotated

from errata_shipper.intake.spool import envelope_in, id_of
from errata_wire.limits import INTAKE_BODY_MAX_BYTES
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from api.door.door import Door
from api.door.refusal import CODES
from api.door.request import Received, ReceivedDependency, door_of, head_of
from api.problems import responses

router = APIRouter(tags=["sentry"])


def sentry_parameters(
    sentry_key: Annotated[str, Query(description="The DSN's key.")] = "",
    sentry_version: Annotated[str, Query(description="Protocol version: 7.")] = "",
    sentry_client: Annotated[str, Query(description="The SDK and its version.")] = "",
) -> None:
    """What SDKs put into the address."""


DoorDependency = Annotated[Door, Depends(door_of)]


async def take_envelope(project_id: int, received: ReceivedDependency) -> Response:
    """Responds once every item is on disk. Use an `errata_public_…` key in code that anyone can read, such as
    pages, and an `errata_app_…` key on servers."""
    return await answer_to(received, project_id, is_event=False)


async def take_event(project_id: int, received: ReceivedDependency) -> Response:
    """The older form: one event without an envelope."""
    return await answer_to(received, project_id, is_event=True)


async def greet_page(project_id: int, request: Request, door: DoorDependency) -> Response:
    """The answer to a browser that asks whether a page may send."""
    return Response(status_code=204, headers=door.cors_headers(head_of(request, project_id)))


async def answer_to(received: Received, project_id: int, *, is_event: bool) -> Response:
    """`is_event`: the body is one event, and no envelope."""
    head = head_of(received.request, project_id, is_named_in_body=True)
    read = partial(envelope_in, is_event=is_event)
    return await received.answer(head, INTAKE_BODY_MAX_BYTES, read, lambda taken: JSONResponse(id_of(taken)))


for kind, endpoint in (("envelope", take_envelope), ("store", take_event)):
    for end in ("/", ""):
        path = f"/api/{{project_id:int}}/{kind}{end}"
        router.add_api_route(
            path,
            endpoint,
            methods=["POST"],
            operation_id=f"{endpoint.__name__}{'' if end else '_without_slash'}",
            summary=f"Accept {'an envelope' if kind == 'envelope' else 'one event'} from a Sentry SDK",
            dependencies=[Depends(sentry_parameters)],
            responses=responses(*CODES, "not_found"),
            include_in_schema=bool(end),
        )
        router.add_api_route(path, greet_page, methods=["OPTIONS"], include_in_schema=False)
