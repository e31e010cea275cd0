"""Check-ins of scheduled jobs by an address alone: GET or POST /api/{project_id}/cron/{slug}/{key}.

The form is that of Sentry's Relay; `curl` is enough to tell that a job began, ended or failed.
"""

import json
from typing import Annotated, Any

from errata_wire.envelope import Envelope, Item
from errata_wire.limits import CHECK_IN_MAX_BYTES
from errata_wire.refusal import Refused
from fastapi import APIRouter, Depends, Query
from starlette.responses import JSONResponse, Response

from api.door.endpoint import sentry_parameters
from api.door.refusal import CODES
from api.door.request import Received, ReceivedDependency, head_of
from api.ingest.check_in_rows import TYPE, problem
from api.problems import responses

router = APIRouter(tags=["sentry"])

FIELDS = ("status", "check_in_id", "environment", "duration")


def cron_parameters(
    status: Annotated[str, Query(description="`in_progress`, `ok` or `error`.")] = "",
    check_in_id: Annotated[
        str, Query(description="ID of the run; without it, the run that started last.")
    ] = "",
    environment: Annotated[str, Query(description="Environment of the job.")] = "",
    duration: Annotated[str, Query(description="Duration of the run in seconds.")] = "",
) -> None:
    """What a check-in may say in its address; a JSON body says the same, and may have a `monitor_config`."""


async def check_in(project_id: int, monitor_slug: str, received: ReceivedDependency) -> Response:
    """The key can be sent at the end of the address, in `sentry_key` or in `X-Sentry-Auth`."""
    return await _answered(received, project_id, monitor_slug)


async def check_in_with_key(
    project_id: int, monitor_slug: str, key: str, received: ReceivedDependency
) -> Response:
    """The address with the key, to copy."""
    return await _answered(received, project_id, monitor_slug)


async def _answered(received: Received, project_id: int, slug: str) -> Response:
    head = head_of(received.request, project_id)
    asked = {name: value for name in FIELDS if (value := received.request.query_params.get(name))}

    def read(content: bytes) -> Envelope:
        return Envelope({}, [_item(slug, asked, content)])

    def shown(_taken: Envelope) -> Response:
        return JSONResponse({"id": asked.get("check_in_id")}, 202)

    return await received.answer(head, CHECK_IN_MAX_BYTES, read, shown, _told)


def _told(refused: Refused) -> Refused:
    """A job that is told to slow down would look as if it had failed."""
    status = 503 if refused.status == 429 else refused.status
    return Refused(status, refused.detail, refused.headers)


def _item(slug: str, asked: dict[str, str], content: bytes) -> Item:
    """Raises Refused, with what is wrong in a sentence."""
    payload: dict[str, Any] = {}
    if content.strip():
        try:
            sent = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise Refused(400, "invalid check-in: the body is not JSON") from error
        if not isinstance(sent, dict):
            raise Refused(400, "invalid check-in: the body is not an object")
        payload |= sent
    payload |= asked | {"monitor_slug": slug}
    if isinstance(duration := payload.get("duration"), str):
        try:
            payload["duration"] = float(duration)
        except ValueError as error:
            raise Refused(400, "invalid check-in: `duration` must be a number of seconds") from error
    if said := problem(payload):
        raise Refused(400, f"invalid check-in: {said}")
    try:
        return Item(TYPE, {}, json.dumps(payload, allow_nan=False).encode())
    except ValueError as error:
        raise Refused(400, "invalid check-in: a number is not finite") from error


for path, endpoint in (("{monitor_slug}", check_in), ("{monitor_slug}/{key}", check_in_with_key)):
    for method in ("GET", "POST"):
        for end in ("", "/"):
            router.add_api_route(
                f"/api/{{project_id:int}}/cron/{path}{end}",
                endpoint,
                methods=[method],
                operation_id=f"{method.lower()}_{endpoint.__name__}",
                summary="Report that a job started, finished or failed",
                status_code=202,
                dependencies=[Depends(sentry_parameters), Depends(cron_parameters)],
                responses=responses(*CODES, "not_found"),
                include_in_schema=not end,
            )
