"""Rows of errata_raw.sessions: states of single sessions, and counts by minute from an SDK."""

from datetime import datetime
from typing import Any

from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import moment, occurred_at
from api.ingest.values import amount, identifier, mapping, row_id, text, user_hash, warehouse_time, whole
from errata.user_agent import user_agent

STATUSES = ("exited", "errored", "unhandled", "crashed", "abnormal")


def session_rows(item: Item, received_at: datetime) -> Rows:
    """One state of one session."""
    payload = item.payload
    sent_at = payload.get("timestamp") or payload.get("started")
    when, is_corrected = occurred_at(sent_at, item.logged_at, received_at)
    started = moment(payload.get("started"))
    status = text(payload.get("status"), 32) or "ok"
    attributes = mapping(payload.get("attrs"))
    agent = user_agent(text(attributes.get("user_agent"), 500))
    duration = amount(payload.get("duration"))
    row = {
        **_shared(item, attributes),
        "occurred_at": warehouse_time(when),
        "item_id": row_id(payload.get("sid"), payload.get("timestamp"), status),
        "is_clock_corrected": is_corrected,
        "session_id": identifier(payload.get("sid")),
        # A session began before its state was sent, whatever its clock says.
        "started_at": warehouse_time(min(started, when) if started and not is_corrected else when),
        "status": status,
        "is_first": payload.get("init") is True,
        "session_count": 1,
        "error_count": whole(payload.get("errors")),
        "user_hash": user_hash(payload.get("did"), None, None, attributes.get("ip_address")),
        "browser": agent.browser,
        "os": agent.os,
        "device": agent.device,
    }
    if duration is not None:
        row["duration_ms"] = duration * 1000
    return {"errata_raw.sessions": [row]}


def counted_session_rows(item: Item, received_at: datetime) -> Rows:
    """Rows of sessions that a server's SDK counted by minute and status."""
    attributes = mapping(item.payload.get("attrs"))
    aggregates = item.payload.get("aggregates")
    rows = []
    for position, aggregate in enumerate(aggregates if isinstance(aggregates, list) else ()):
        counts = mapping(aggregate)
        when, is_corrected = occurred_at(counts.get("started"), item.logged_at, received_at)
        for status in STATUSES:
            count = whole(counts.get(status))
            if not count:
                continue
            rows.append(
                {
                    **_shared(item, attributes),
                    "occurred_at": warehouse_time(when),
                    "item_id": row_id(item.content_id, position, status),
                    "is_clock_corrected": is_corrected,
                    "started_at": warehouse_time(when),
                    "status": status,
                    "is_first": True,
                    "session_count": count,
                    "error_count": 0,
                    "user_hash": user_hash(counts.get("did"), None, None, None),
                }
            )
    return {"errata_raw.sessions": rows} if rows else {}


def _shared(item: Item, attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "project_id": item.project_id,
        "environment": text(attributes.get("environment"), 64),
        "release": text(attributes.get("release"), 250),
        "service": item.service,
    }


KINDS = (ItemKind("session", session_rows), ItemKind("sessions", counted_session_rows))
