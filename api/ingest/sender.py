"""The sender and the moment of an item: the columns that all its rows share."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from api.ingest.item import Item
from api.ingest.moment import EARLIEST, occurred_at
from api.ingest.span import Span
from api.ingest.values import mapping, text, user_hash, warehouse_time

# The longest span: items sent in time count from their start.
LONGEST = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Sender:
    """`shared` holds project_id, environment, release and service."""

    shared: dict[str, Any]
    user_hash: int
    item: Item
    received_at: datetime

    def when(self, span: Span) -> tuple[str, bool]:
        """The start of the span as the moment that counts, and whether its clock was corrected.

        `logged_at` is compared with the end of the span, when the item was made.
        """
        sent = span.end if span.end else None
        moment, is_corrected = occurred_at(sent, self.item.logged_at, self.received_at)
        if not is_corrected and span.end:
            moment = _start(span, moment)
        return warehouse_time(moment), is_corrected


def _start(span: Span, end: datetime) -> datetime:
    if span.end - span.start > LONGEST.total_seconds():
        return end
    start = end - timedelta(seconds=span.end - span.start)
    return start if start >= EARLIEST or end < EARLIEST else end


def of_payload(item: Item, received_at: datetime) -> Sender:
    """The sender of a transaction, whose payload names release, environment and user."""
    payload, trace = item.payload, mapping(item.headers.get("trace"))
    user = mapping(payload.get("user"))
    return Sender(
        {
            "project_id": item.project_id,
            "environment": text(payload.get("environment") or trace.get("environment"), 64),
            "release": text(payload.get("release") or trace.get("release"), 250),
            "service": item.service,
        },
        user_hash(
            user.get("id"),
            user.get("email"),
            user.get("name") or user.get("username"),
            user.get("ip_address"),
        ),
        item,
        received_at,
    )


def of_attributes(item: Item, received_at: datetime, data: dict[str, Any]) -> Sender:
    """The sender of a streamed span, which names them itself; version-1 spans use shorter names."""
    trace = mapping(item.headers.get("trace"))
    environment = data.get("sentry.environment") or data.get("environment") or trace.get("environment")
    release = data.get("sentry.release") or data.get("release") or trace.get("release")
    return Sender(
        {
            "project_id": item.project_id,
            "environment": text(environment, 64),
            "release": text(release, 250),
            "service": item.service,
        },
        user_hash(
            data.get("user.id"), data.get("user.email"), data.get("user.name"), data.get("user.ip_address")
        ),
        item,
        received_at,
    )
