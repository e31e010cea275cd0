"""Rows of errata_raw.spans, page_resources and requests, each made of one span."""

from typing import Any

from api.ingest.addresses import host_and_path, storable, without_queries
from api.ingest.sender import Sender
from api.ingest.span import Span, has_trace
from api.ingest.values import hash128, row_id, status_code, text, whole
from errata.routes import template

TYPE_BY_ENDING = {
    **dict.fromkeys(("js", "mjs", "cjs"), "script"),
    "css": "style",
    **dict.fromkeys(
        ("png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "bmp", "jxl", "apng", "tif", "tiff"),
        "image",
    ),
    **dict.fromkeys(("woff", "woff2", "ttf", "otf", "eot"), "font"),
    **dict.fromkeys(("mp4", "webm", "mp3", "ogg", "m4a", "wav", "m3u8", "mov"), "media"),
    **dict.fromkeys(("html", "htm"), "document"),
}
TYPE_BY_INITIATOR = {
    "script": "script",
    "img": "image",
    "image": "image",
    "iframe": "document",
    "video": "media",
    "audio": "media",
    "fetch": "api",
    "xmlhttprequest": "api",
}


def span_row(span: Span, sender: Sender, occurred_at: str) -> dict[str, Any]:
    return {
        **sender.shared,
        "trace_id": span.trace_id,
        "start_us": round(span.start * 1e6),
        "occurred_at": occurred_at,
        "item_id": span_item_id(span),
        "span_id": span.span_id,
        "parent_span_id": span.parent_id,
        "segment_id": span.segment_id,
        "is_segment": span.is_segment,
        "op": span.op,
        "description": description(span),
        "duration_ms": span.duration_ms,
        "status": span.status,
        "status_code": status_code(span.data.get("http.response.status_code")),
        "origin": span.origin,
    }


def span_item_id(span: Span) -> str:
    """Trace and span id; for a span without them, a hash of its other fields."""
    if has_trace(span):
        return hash128(f"{span.trace_id}{span.span_id:016x}")
    return row_id(span.trace_id, span.span_id, span.op, span.name, span.start, span.end)


def description(span: Span) -> str:
    """A description of the span's work, without queries in its URLs; more than a bare host where known."""
    if span.op.startswith(("http.", "resource.")):
        address = address_of(span)
        if address:
            return f"{method_of(span)} {address}" if span.op.startswith("http.") else address
    # Question marks in a database statement are parameters.
    return span.name if span.op.startswith("db") else without_queries(span.name)


def address_of(span: Span) -> str:
    """The URL of a call or a resource, fit to be stored."""
    data = span.data
    found = text(data.get("url.full") or data.get("http.url") or data.get("url"), 4000)
    if not found and span.op.startswith("resource."):
        found = span.name
    return storable(found) if found else ""


def method_of(span: Span) -> str:
    data = span.data
    named = text(data.get("http.request.method") or data.get("http.method"), 16)
    if not named:
        named = span.name.partition(" ")[0]
    return named.upper() if named.isalpha() and len(named) <= 8 else "GET"


def resource_row(
    span: Span, sender: Sender, occurred_at: str, view_id: int, page: str, page_address: str
) -> dict[str, Any]:
    """The row of a file or an API call of a page view."""
    data, address = span.data, address_of(span)
    host, path = host_and_path(address)
    initiator = text(data.get("type"), 32) or "fetch" if span.op == "http.client" else span.op[9:]
    transferred = whole(data.get("http.response.size", data.get("http.response_transfer_size")))
    body = whole(data.get("http.response.body.size", data.get("http.response_content_length")))
    decoded = data.get("http.response.body.decoded_size", data.get("http.decoded_response_content_length"))
    same_origin = data.get("http.request.same_origin", data.get("url.same_origin"))
    if not isinstance(same_origin, bool):
        same_origin = not host or (bool(page_address) and host == host_and_path(page_address)[0])
    return {
        **sender.shared,
        "view_id": view_id,
        "occurred_at": occurred_at,
        "item_id": span_item_id(span),
        "page": page,
        "type": "api" if span.op == "http.client" else resource_type(path, initiator),
        "initiator": initiator,
        "url": address,
        "host": host,
        "start_us": round(span.start * 1e6),
        "duration_ms": span.duration_ms,
        "transfer_bytes": transferred,
        "body_bytes": body,
        "decoded_bytes": whole(decoded),
        "is_render_blocking": data.get("resource.render_blocking_status") == "blocking",
        "is_cached": data.get("http.response_delivery_type") == "cache",
        "is_same_origin": same_origin,
        "status_code": status_code(data.get("http.response.status_code")),
    }


def resource_type(path: str, initiator: str) -> str:
    """The type by the URL's ending, since a style sheet may request a font; without one by the initiator."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return TYPE_BY_ENDING.get(ending) or TYPE_BY_INITIATOR.get(initiator, "other")


def page_call_row(
    span: Span, sender: Sender, when: tuple[str, bool], view_id: int, page: str
) -> dict[str, Any]:
    """The row of a call as the page saw it."""
    host, path = host_and_path(address_of(span))
    return {
        **sender.shared,
        "side": "page",
        "route": template(path),
        "method": method_of(span),
        "occurred_at": when[0],
        "item_id": span_item_id(span),
        "is_clock_corrected": when[1],
        "host": host,
        "path": path,
        "status_code": status_code(span.data.get("http.response.status_code")),
        "duration_ms": span.duration_ms,
        "user_hash": sender.user_hash,
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_id,
        "view_id": view_id,
        "page": page,
        "response_bytes": whole(
            span.data.get("http.response.body.size", span.data.get("http.response_content_length"))
        ),
    }
