"""Rows of errata_raw.feedback: messages of users, in the form of current SDKs and in the older one.

The forms are Sentry's (develop.sentry.dev/sdk/telemetry/feedbacks).
"""

from datetime import datetime
from typing import Any

from api.ingest.addresses import storable
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import occurred_at
from api.ingest.values import NIL, identifier, mapping, text, user_hash, warehouse_time

TYPE = "feedback"
OLDER_TYPE = "user_report"
TABLE = "errata_raw.feedback"
MESSAGE_MAX_LENGTH = 4_096


def feedback_rows(item: Item, received_at: datetime) -> Rows:
    """A message as an event with a context of its own."""
    payload = item.payload
    sent = mapping(mapping(payload.get("contexts")).get("feedback"))
    own_id = identifier(payload.get("event_id"))
    return _rows(
        item,
        received_at,
        payload.get("timestamp"),
        {
            "item_id": item.content_id.hex if own_id == NIL else own_id,
            "message": text(sent.get("message"), MESSAGE_MAX_LENGTH),
            **_writer(sent.get("name"), sent.get("contact_email"), mapping(payload.get("user"))),
            "url": storable(text(sent.get("url"), 4_000)),
            "associated_event_id": identifier(sent.get("associated_event_id")),
            "replay_id": identifier(sent.get("replay_id")),
            "environment": text(payload.get("environment"), 64),
            "release": text(payload.get("release"), 250),
        },
    )


def user_report_rows(item: Item, received_at: datetime) -> Rows:
    """A message about an error, as older SDKs send it."""
    payload = item.payload
    return _rows(
        item,
        received_at,
        None,
        {
            "item_id": item.content_id.hex,
            "message": text(payload.get("comments"), MESSAGE_MAX_LENGTH),
            **_writer(payload.get("name"), payload.get("email"), {}),
            "associated_event_id": identifier(payload.get("event_id")),
        },
    )


def _rows(item: Item, received_at: datetime, sent_at: Any, columns: dict[str, Any]) -> Rows:
    if not columns["message"].strip():
        return {}
    when, is_corrected = occurred_at(sent_at, item.logged_at, received_at)
    row = {
        "project_id": item.project_id,
        "occurred_at": warehouse_time(when),
        "is_clock_corrected": is_corrected,
        "service": item.service,
        **columns,
    }
    return {TABLE: [row]}


def _writer(name: Any, email: Any, user: dict[str, Any]) -> dict[str, Any]:
    """What the user wrote, and who it is: the user that the SDK knows, else the e-mail address that was
    written."""
    known = user_hash(
        user.get("id"), user.get("email"), user.get("name") or user.get("username"), user.get("ip_address")
    )
    return {
        "user_name": text(name, 200),
        "user_email": text(email, 200),
        "user_hash": known or user_hash(None, email, None, None),
    }


KINDS = (ItemKind(TYPE, feedback_rows), ItemKind(OLDER_TYPE, user_report_rows))
