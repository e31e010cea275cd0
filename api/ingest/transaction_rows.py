"""Rows of a transaction: a page view or a call to the server, with its spans."""

from datetime import datetime
from typing import Any

from api.ingest import sender as senders
from api.ingest.addresses import host_and_path
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.request_rows import server_row
from api.ingest.sender import Sender
from api.ingest.span import Span, has_trace, of_transaction, root_of
from api.ingest.span_rows import page_call_row, resource_row, span_item_id, span_row
from api.ingest.values import NIL, identifier, mapping, number_of, text
from api.ingest.view_part import (
    VIEW_OPS,
    ViewPart,
    measured_columns,
    opening_columns,
    page_of,
    visitor_columns,
)


def transaction_rows(item: Item, received_at: datetime) -> Rows:
    payload = item.payload
    root, sender = root_of(payload), senders.of_payload(item, received_at)
    sent = payload.get("spans")
    children = [
        span
        for child in (sent if isinstance(sent, list) else ())
        if (span := of_transaction(child, root.trace_id, root.span_id)) is not None
    ]
    when = sender.when(root)
    rows: Rows = {}
    if root.op in VIEW_OPS:
        rows = _view_rows(item, root, children, sender, when)
    elif root.op == "http.server":
        rows["errata_raw.requests"] = [server_row(item, root, sender, when)]
    if has_trace(root):
        rows["errata_raw.spans"] = [span_row(span, sender, when[0]) for span in (root, *children)]
    return rows


def _view_rows(item: Item, root: Span, children: list[Span], sender: Sender, when: tuple[str, bool]) -> Rows:
    payload = item.payload
    request = mapping(payload.get("request"))
    address = text(request.get("url") or root.data.get("url.full"), 4000)
    page = page_of(root.name, text(mapping(payload.get("transaction_info")).get("source")), address)
    own_id = identifier(payload.get("event_id"))
    view_id = root.span_id or number_of(span_item_id(root))
    part = ViewPart(view_id)
    agent = _agent(request)
    part.open(root, opening_columns(root, page, address) | measured_columns(payload, root, agent))
    resources, calls = [], []
    for span in children:
        if part.take(span):
            if span.op.startswith("resource.") or span.op == "http.client":
                resources.append(resource_row(span, sender, when[0], view_id, page, address))
            if span.op == "http.client":
                calls.append(_call_row(span, sender, view_id, page, address))
    row = part.row(sender, _visitor(payload, agent))
    row["item_id"] = own_id if own_id != NIL else row["item_id"]
    return {
        "errata_raw.page_views": [row],
        "errata_raw.page_resources": resources,
        "errata_raw.requests": calls,
    }


def _call_row(span: Span, sender: Sender, view_id: int, page: str, address: str) -> dict[str, Any]:
    row = page_call_row(span, sender, sender.when(span), view_id, page)
    # Before version 11 a call to the page's own host may name the path alone.
    row["host"] = row["host"] or host_and_path(address)[0]
    return row


def _agent(request: dict[str, Any]) -> str:
    headers = request.get("headers")
    return text(headers.get("User-Agent"), 500) if isinstance(headers, dict) else ""


def _visitor(payload: dict[str, Any], agent: str) -> dict[str, Any]:
    sdk = mapping(payload.get("sdk"))
    tags = payload.get("tags")
    replay = mapping(mapping(payload.get("contexts")).get("replay")).get("replay_id")
    replay = replay or (tags.get("replayId") if isinstance(tags, dict) else None)
    return visitor_columns(agent, replay, sdk.get("name"), sdk.get("version"))


KINDS = (ItemKind("transaction", transaction_rows),)
