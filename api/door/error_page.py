"""The dialog that an SDK's `showReportDialog` opens on an error page, and the report that it sends.

The addresses and their parameters are Sentry's: GET and POST /api/embed/error-page/.
"""

import json
from functools import cache
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from errata_shipper.intake.payload import is_event_id
from errata_wire.envelope import Envelope, Item
from errata_wire.limits import CHECK_IN_MAX_BYTES
from errata_wire.refusal import Refused
from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from api.door.door import Head
from api.door.refusal import CODES, response_to
from api.door.request import ReceivedDependency, head_of
from api.ingest.feedback_rows import OLDER_TYPE
from api.problems import responses

router = APIRouter(tags=["sentry"])

ADDRESS = "/api/embed/error-page/"
FIELDS = ("name", "email", "comments")
DsnParameter = Annotated[str, Query(description="The DSN of the page's SDK.")]
EventParameter = Annotated[
    str, Query(alias="eventId", description="ID of the error's event: 32 hexadecimal digits.")
]


@cache
def script() -> str:
    return Path(__file__).with_suffix(".js").read_text("utf-8")


async def error_page_dialog(
    received: ReceivedDependency, dsn: DsnParameter = "", event_id: EventParameter = ""
) -> Response:
    """The dialog's texts are additional parameters, such as `title` and `labelSubmit`."""
    try:
        head = _head(received, dsn)
        _require_event(event_id)
        await received.door.greet(head, received.context.door_limiter)
    except Refused as refused:
        return response_to(received.request, refused)
    headers = {**received.door.cors_headers(head), "Cache-Control": "no-cache"}
    return Response(script(), headers=headers, media_type="text/javascript")


async def take_report(
    received: ReceivedDependency, dsn: DsnParameter = "", event_id: EventParameter = ""
) -> Response:
    """A form with `name`, `email` and `comments`."""

    def read(content: bytes) -> Envelope:
        _require_event(event_id)
        return Envelope({}, [_report(event_id, content)])

    try:
        head = _head(received, dsn)
    except Refused as refused:
        return response_to(received.request, refused)
    return await received.answer(head, CHECK_IN_MAX_BYTES, read, lambda _taken: JSONResponse({}))


def _head(received: ReceivedDependency, dsn: str) -> Head:
    """The request as if it named its key as envelopes do. Raises Refused."""
    head = head_of(received.request, None)
    try:
        parts = urlsplit(dsn)
        number = int(parts.path.rpartition("/")[2])
    except ValueError as error:
        raise Refused(403, "no `dsn` of a project, which ends with its number") from error
    return Head(number, head.path, f"sentry_key={parts.username or ''}", head.headers, head.address)


def _require_event(event_id: str) -> None:
    if not is_event_id(event_id):
        raise Refused(400, "invalid `eventId`: it must be 32 hexadecimal digits")


def _report(event_id: str, content: bytes) -> Item:
    try:
        sent = parse_qs(content.decode(), max_num_fields=20)
    except ValueError as error:
        raise Refused(400, "invalid report: the body is not a form") from error
    report = {name: " ".join(sent.get(name, ())) for name in FIELDS}
    if not report["comments"].strip():
        raise Refused(400, "invalid report: `comments` is empty")
    return Item(OLDER_TYPE, {}, json.dumps({"event_id": event_id, **report}).encode())


for method, endpoint, summary in (
    ("GET", error_page_dialog, "Get the script of the error page dialog"),
    ("POST", take_report, "Accept a user's report about an error"),
):
    for path in (ADDRESS, ADDRESS.rstrip("/")):
        router.add_api_route(
            path,
            endpoint,
            methods=[method],
            operation_id=f"{endpoint.__name__}{'' if path == ADDRESS else '_without_slash'}",
            summary=summary,
            response_class=Response,
            responses=responses(*CODES),
            include_in_schema=path == ADDRESS,
        )
