"""Minidumps are refused: POST /api/{project_id}/minidump/."""

from errata_wire.refusal import Refused
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.door.refusal import InvalidEnvelope, response_to
from api.problems import responses

router = APIRouter(tags=["sentry"])

SAID = (
    "minidumps are not taken: they hold the memory of a process, secrets included; "
    "send native crashes as events with stack traces"
)


async def refuse_minidump(project_id: int, request: Request) -> Response:
    """A memory dump can't be cleared of secrets, whatever its format. The reason is in the response."""
    return response_to(request, Refused(400, SAID))


for end in ("/", ""):
    router.add_api_route(
        f"/api/{{project_id:int}}/minidump{end}",
        refuse_minidump,
        methods=["POST"],
        operation_id=f"refuse_minidump{'' if end else '_without_slash'}",
        summary="Refuse a minidump",
        responses=responses(InvalidEnvelope.code),
        include_in_schema=bool(end),
    )
