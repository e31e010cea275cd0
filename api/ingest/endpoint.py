"""POST /api/ingest: the one way in for error events and performance data."""

from typing import Annotated, Any

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from api.authentication import DECLARED, api_key_owner, bearer_of
from api.context import ContextDependency
from api.errors import InvalidApiKey, TooManyAtOnce
from api.ingest import source
from api.ingest.accept import Ingest, delivery_of
from api.ingest.bodies import Held
from api.ingest.body import ENCODINGS, TooLarge
from api.problems import responses

router = APIRouter()

DISCARDED_MAX_BYTES = 256 << 20

EXAMPLE_LINE = (
    '{"type": "event", "logged_at": "2026-11-21T10:00:00.123Z", '
    '"payload": {"event_id": "9f86d081884c7d659a2feaa0c55ad015", "message": "it broke"}}\n'
)
LINES: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "description": "One item per line: NDJSON, UTF-8; Content-Encoding gzip, zstd or none. "
        "An empty body is accepted as 0 lines.",
        "content": {"application/x-ndjson": {"schema": {}, "example": EXAMPLE_LINE}},
    },
    "parameters": [
        {
            "in": "header",
            "name": name,
            "required": False,
            "schema": {"type": "string", **({"enum": list(ENCODINGS)} if name == "Content-Encoding" else {})},
            "description": meaning,
        }
        for name, meaning in (
            ("X-Errata-App-Key", "Application key for lines that don't have their own."),
            ("X-Errata-Batch-Id", "Stays the same when a batch is retried."),
            (
                "X-Errata-Source",
                "For the delivery ledger: "
                "`host=web-1; file=errata-2026-11-21.log; id=9f86d081884c7d65; from=0; to=20480; "
                "size=90112`. "
                "With an empty body, it reports a range with nothing to send (`set_aside=2`) or the end of "
                "the file (`end=removed`).",
            ),
            ("Content-Encoding", "gzip, zstd or none"),
        )
    ],
}


class RejectedLine(BaseModel):
    line: int = Field(description="Line number from 1, including blank lines.")
    reason: str = Field(description="invalid_json, invalid_item, line_too_large or application_not_found.")
    message: str


class Stored(BaseModel):
    batch_id: str
    accepted: int
    rejected: list[RejectedLine]


def ingest_of(request: Request) -> Ingest:
    ingest = request.app.state.ingest
    assert isinstance(ingest, Ingest)
    return ingest


@router.post(
    "/api/ingest",
    tags=["ingest"],
    summary="Deliver a batch of items; responds once every accepted row is stored",
    dependencies=DECLARED[:1],
    response_model=Stored,
    openapi_extra=LINES,
    responses={
        **responses(
            "invalid_batch",
            "invalid_api_key",
            "application_not_found",
            "too_large",
            "unsupported_encoding",
            "rate_limited",
            "too_many_at_once",
            "rows_not_stored",
            "disk_full",
        ),
    },
)
async def deliver(
    request: Request, context: ContextDependency, ingest: Annotated[Ingest, Depends(ingest_of)]
) -> Response:
    try:
        owner = await to_thread.run_sync(api_key_owner, request, context, limiter=context.ingest_limiter)
    except InvalidApiKey as error:
        former = await to_thread.run_sync(context.state.keys.api.former_owner, bearer_of(request))
        if former is not None:
            app_key, told = (request.headers.get(f"x-errata-{name}", "") for name in ("app-key", "source"))
            await ingest.note_refused(former, app_key, source.parse(told).host, error.code)
        raise
    with ingest.bodies.hold(owner.organization_id) as held:
        body = await read_body(request, context.settings.body_max_bytes, held)
        answer = await ingest.accept(delivery_of(owner, body, request.headers))
    return Response(msgspec.json.encode(answer), media_type="application/json")


async def read_body(request: Request, max_bytes: int, held: Held) -> bytes:
    """The body. Reading continues past a limit without keeping the bytes: a client still sending would not
    see the response."""
    parts, size, has_room = list[bytes](), 0, True
    async for part in request.stream():
        size += len(part)
        has_room = has_room and (size > max_bytes or held.take(len(part)))
        if size <= max_bytes and has_room:
            parts.append(part)
        elif parts:
            parts.clear()
            held.give_back()
        if size > max_bytes + DISCARDED_MAX_BYTES:
            break
    if size > max_bytes:
        raise TooLarge("bytes", max_bytes, size)
    if not has_room:
        raise TooManyAtOnce
    return b"".join(parts)
