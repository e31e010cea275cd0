"""Minidumps are refused: POST /api/{project_id}/minidump/."""

from errata_wire.refusal import Refused
from fastapi import APIRouter
from starlette.responses import Response

from api.door.refusal import CODES, response_to
from api.door.request import ReceivedDependency, head_of
from api.problems import responses

router = APIRouter(tags=["sentry"])

SAID = (
    "minidumps are not taken: they hold the memory of a process, secrets included; "
    "send native crashes as events with stack traces"
)


async def refuse_minidump(project_id: int, received: ReceivedDependency) -> Response:
    """Minidumps aren't stored, because secrets can't be removed from a memory dump. The response says so."""
    try:
        await received.door.greet(head_of(received.request, project_id), received.context.door_limiter)
        raise Refused(400, SAID)
    except Refused as refused:
        return response_to(received.request, refused)


for end in ("/", ""):
    router.add_api_route(
        f"/api/{{project_id:int}}/minidump{end}",
        refuse_minidump,
        methods=["POST"],
        operation_id=f"refuse_minidump{'' if end else '_without_slash'}",
        summary="Refuse a minidump",
        responses=responses(*CODES, "not_found"),
        include_in_schema=bool(end),
    )
