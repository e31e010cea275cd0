"""Rows of streamed spans: the version-2 containers of current SDKs, and the single INP spans of older
ones."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from api.ingest import sender as senders
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.request_rows import segment_row
from api.ingest.sender import Sender
from api.ingest.span import Span, has_trace, of_container, of_transaction
from api.ingest.span_rows import page_call_row, resource_row, span_item_id, span_row
from api.ingest.values import amount, identifier, mapping, number_of, span_number, text
from api.ingest.view_part import (
    NAMELESS,
    NAVIGATE,
    RESTORED,
    SOFT,
    VIEW_OPS,
    ViewPart,
    attribute_columns,
    element,
    interaction_columns,
    opening_columns,
    page_of,
    visitor_columns,
)


def span_rows(item: Item, received_at: datetime) -> Rows:
    """Rows of a `span` item of either version."""
    sent = item.payload.get("items")
    if isinstance(sent, list):
        return _Container(item, received_at).rows([span for one in sent if (span := of_container(one))])
    return _lone_rows(item, received_at)


class _Container:
    """Spans of one container; those of one page view become one part of it."""

    def __init__(self, item: Item, received_at: datetime) -> None:
        self._item = item
        self._received_at = received_at
        self._senders: dict[tuple[Any, ...], Sender] = {}
        self._parts: dict[int, ViewPart] = {}
        self._pages: dict[int, tuple[str, str]] = {}
        self._spans: list[dict[str, Any]] = []
        self._resources: list[dict[str, Any]] = []
        self._requests: list[dict[str, Any]] = []

    def rows(self, spans: list[Span]) -> Rows:
        for segment in spans:
            if segment.is_segment and segment.op in VIEW_OPS:
                self._open(segment)
        for span in spans:
            self._take(span)
        found = {
            "errata_raw.page_views": list(self._view_rows()),
            "errata_raw.page_resources": self._resources,
            "errata_raw.requests": self._requests,
            "errata_raw.spans": self._spans,
        }
        return {table: rows for table, rows in found.items() if rows}

    def _open(self, segment: Span) -> None:
        data = segment.data
        source = text(data.get("sentry.segment.name.source") or data.get("sentry.source"))
        address = text(data.get("url.full") or data.get("url.path"), 4000)
        page = page_of(segment.name, source, text(data.get("url.path"), 4000) or address)
        view_id = segment.span_id or number_of(span_item_id(segment))
        part = self._parts.setdefault(view_id, ViewPart(view_id))
        part.open(segment, opening_columns(segment, page, address) | attribute_columns(data))
        self._pages[view_id] = (page, address)

    def _take(self, span: Span) -> None:
        sender = self._sender(span)
        when = sender.when(span)
        if has_trace(span):
            self._spans.append(span_row(span, sender, when[0]))
        if span.is_segment and span.op == "http.server":
            self._requests.append(segment_row(span, sender, when))
        view_id = view_of(span)
        is_page_call = span.op == "http.client" and is_of_page(span, self._parts)
        if span.op.startswith("resource.") or is_page_call:
            page, address = self._pages.get(view_id, ("", ""))
            self._resources.append(resource_row(span, sender, when[0], view_id, page, address))
            if is_page_call:
                self._requests.append(page_call_row(span, sender, when, view_id, page))
        if view_id and (span.op != "http.client" or is_page_call) and not span.is_segment:
            part = self._parts.get(view_id) or ViewPart(view_id)
            if part.take(span):
                self._parts[view_id] = part

    def _view_rows(self) -> Iterator[dict[str, Any]]:
        for part in self._parts.values():
            span = part.opening or part.first
            assert span is not None
            data = span.data
            columns = visitor_columns(
                text(data.get("user_agent.original"), 500),
                data.get("sentry.replay_id"),
                data.get("sentry.sdk.name"),
                data.get("sentry.sdk.version"),
            )
            columns["navigation_type"] = type_of_vital(span)
            yield part.row(self._sender(span), columns)

    def _sender(self, span: Span) -> Sender:
        data = span.data
        key = tuple(
            str(data.get(name))
            for name in ("sentry.environment", "sentry.release", "user.id", "user.email", "user.ip_address")
        )
        found = self._senders.get(key)
        if found is None:
            found = self._senders[key] = senders.of_attributes(self._item, self._received_at, data)
        return found


def view_of(span: Span) -> int:
    """The view of a span. Vitals of a soft navigation also name the page load it happened in."""
    if span.op == "http.client" and span.is_segment:
        return span_number(span.data.get("sentry.pageload.span_id"))
    if type_of_vital(span) in (SOFT, RESTORED):
        return span.segment_id
    return span_number(span.data.get("sentry.pageload.span_id")) or span.segment_id


def type_of_vital(span: Span) -> str:
    said = text(span.data.get("browser.navigation.type"), 32)
    return said if said in (SOFT, RESTORED) else (NAVIGATE if said else "")


def is_of_page(span: Span, parts: dict[int, ViewPart]) -> bool:
    """True if a page made the call, rather than a server."""
    return (
        span.origin.startswith("auto.http.browser")
        or span.segment_id in parts
        or text(span.data.get("sentry.segment.name")) in (NAMELESS - {""})
    )


def _lone_rows(item: Item, received_at: datetime) -> Rows:
    """Rows of a version-1 span: the INP of SDKs before 11, tied to a view by its trace alone."""
    payload = item.payload
    span = of_transaction(
        payload, identifier(payload.get("trace_id")), span_number(payload.get("segment_id"))
    )
    if span is None or not has_trace(span):
        return {}
    data = span.data
    sender = senders.of_attributes(item, received_at, data)
    rows: Rows = {"errata_raw.spans": [span_row(span, sender, sender.when(span)[0])]}
    inp = amount(mapping(mapping(payload.get("measurements")).get("inp")).get("value"))
    if inp is not None:
        part = ViewPart(0)
        part.first = span
        part.columns = {"inp_ms": inp, "inp_target": element(span.name), **interaction_columns(span)}
        name = text(data.get("transaction"), 200)
        columns = visitor_columns(
            text(data.get("user_agent.original"), 500), data.get("replay_id"), None, None
        )
        rows["errata_raw.page_views"] = [
            part.row(sender, columns | {"page": page_of(name, "url", name) if name else ""})
        ]
    return rows


KINDS = (ItemKind("span", span_rows),)
