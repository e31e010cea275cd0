"""Rows of errata_raw.requests for calls that a server answered."""

from typing import Any

from api.ingest.addresses import host_and_path
from api.ingest.item import Item
from api.ingest.sender import Sender
from api.ingest.span import Span
from api.ingest.span_rows import method_of, span_item_id
from api.ingest.values import NIL, identifier, mapping, status_code, text, whole
from errata.routes import template

# HTTP statuses for the protocol's trace statuses, where no HTTP status is sent.
CODE_OF_STATUS = {
    "ok": 200,
    "invalid_argument": 400,
    "failed_precondition": 400,
    "out_of_range": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_found": 404,
    "already_exists": 409,
    "aborted": 409,
    "resource_exhausted": 429,
    "cancelled": 499,
    "internal_error": 500,
    "unknown_error": 500,
    "unknown": 500,
    "error": 500,
    "data_loss": 500,
    "unimplemented": 501,
    "unavailable": 503,
    "deadline_exceeded": 504,
}


def server_row(item: Item, root: Span, sender: Sender, when: tuple[str, bool]) -> dict[str, Any]:
    """The row of a server's transaction."""
    payload = item.payload
    request = mapping(payload.get("request"))
    method = text(request.get("method"), 16).upper() or method_of(root)
    address = text(request.get("url") or root.data.get("url.full") or root.data.get("http.url"), 4000)
    source = text(mapping(payload.get("transaction_info")).get("source"))
    tags = payload.get("tags")
    codes = [
        status_code(mapping(mapping(payload.get("contexts")).get("response")).get("status_code")),
        status_code(root.data.get("http.response.status_code")),
        status_code(mapping(tags).get("http.status_code")),
    ]
    code = next((code for code in codes if code > 0), min(codes))
    row = _row(root, sender, when, method, source, address, code)
    own_id = identifier(payload.get("event_id"))
    row["item_id"] = own_id if own_id != NIL else row["item_id"]
    row["server_name"] = text(payload.get("server_name"), 250)
    return row


def segment_row(segment: Span, sender: Sender, when: tuple[str, bool]) -> dict[str, Any]:
    """The row of a streamed segment."""
    data = segment.data
    address = text(data.get("url.full") or data.get("http.url") or data.get("url.path"), 4000)
    source = text(data.get("sentry.segment.name.source") or data.get("sentry.source"))
    code = status_code(data.get("http.response.status_code"))
    row = _row(segment, sender, when, method_of(segment), source, address, code)
    row["server_name"] = text(data.get("server.name") or data.get("host.name"), 250)
    return row


def _row(
    span: Span, sender: Sender, when: tuple[str, bool], method: str, source: str, address: str, code: int
) -> dict[str, Any]:
    path = host_and_path(address)[1] if address else ""
    return {
        **sender.shared,
        "side": "server",
        "route": route_of(span.name, source, path, method),
        "method": method,
        "occurred_at": when[0],
        "item_id": span_item_id(span),
        "is_clock_corrected": when[1],
        "path": path,
        "status_code": code or CODE_OF_STATUS.get(span.status, 0),
        "duration_ms": span.duration_ms,
        "user_hash": sender.user_hash,
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_id,
        "response_bytes": whole(span.data.get("http.response.body.size")),
    }


def route_of(name: str, source: str, path: str, method: str) -> str:
    """The transaction's name without its method; if that is only the address, the path with `{id}`."""
    route = name.removeprefix(f"{method} ").strip()
    if source == "url" or not route:
        return template(path or route)
    return route[:200]
