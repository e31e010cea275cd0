"""OTLP/HTTP: POST /v1/traces and /v1/logs, as OpenTelemetry's SDKs and collectors send them."""

from typing import Any

from errata_wire.envelope import Envelope
from errata_wire.limits import OTLP_MAX_BYTES
from errata_wire.otlp.request import READERS
from errata_wire.otlp.response import JSON, PROTOBUF, Answer, content_type_of, refusal
from errata_wire.refusal import Refused
from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.door.endpoint import sentry_parameters
from api.door.refusal import CODES
from api.door.request import Received, ReceivedDependency, head_of
from api.problems import responses, retry_after_of, status_of
from errata.errors import ErrataError

router = APIRouter(tags=["opentelemetry"])


async def take_traces(received: ReceivedDependency) -> Response:
    """Spans become endpoint calls and waterfall rows; their exceptions become issues. Send a DSN's key or an
    application key as `Authorization: Bearer`."""
    return await _answered(received, "traces")


async def take_logs(received: ReceivedDependency) -> Response:
    """Records with an exception become issues."""
    return await _answered(received, "logs")


async def take_traces_of_project(project_id: int, received: ReceivedDependency) -> Response:
    return await _answered(received, "traces", project_id)


async def take_logs_of_project(project_id: int, received: ReceivedDependency) -> Response:
    return await _answered(received, "logs", project_id)


async def _answered(received: Received, signal: str, project_id: int | None = None) -> Response:
    head = head_of(received.request, project_id)
    form = head.headers.get("content-type", "")
    answers: list[Answer] = []

    def read(content: bytes) -> Envelope:
        found = READERS[signal](content, content_type)
        answers.append(found.answer)
        return found.envelope

    status, headers = 200, dict[str, str]()
    try:
        content_type = content_type_of(form)
        await received.take(head, OTLP_MAX_BYTES, read)
    except Refused as refused:
        status, headers = refused.status, refused.headers
        answers = [refusal(refused.detail, form)]
    except ErrataError as error:
        status = status_of(error.code)
        if status in {429, 503}:
            headers = {"Retry-After": str(retry_after_of(error))}
        answers = [refusal(str(error), form)]
    headers |= received.door.cors_headers(head)
    return Response(answers[0].body, status, headers, answers[0].content_type)


FORMS: dict[str, Any] = {
    PROTOBUF: {"schema": {"type": "string", "format": "binary"}},
    JSON: {"schema": {"type": "object"}},
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "What was accepted, in the format of the request.", "content": FORMS},
    **{
        status: {"description": f"{told['description']}, as google.rpc.Status", "content": FORMS}
        for status, told in responses(*CODES).items()
    },
}
OF_SERVICE = {"traces": take_traces, "logs": take_logs}
OF_PROJECT = {"traces": take_traces_of_project, "logs": take_logs_of_project}
for signal in READERS:
    router.add_api_route(
        f"/v1/{signal}",
        OF_SERVICE[signal],
        methods=["POST"],
        operation_id=f"take_{signal}",
        summary=f"Accept OpenTelemetry {signal}",
        dependencies=[Depends(sentry_parameters)],
        response_class=Response,
        responses=RESPONSES,
        openapi_extra={"requestBody": {"content": FORMS, "required": True}},
    )
    for end in ("/", ""):
        router.add_api_route(
            f"/api/{{project_id:int}}/integration/otlp/v1/{signal}{end}",
            OF_PROJECT[signal],
            methods=["POST"],
            dependencies=[Depends(sentry_parameters)],
            include_in_schema=False,
        )
