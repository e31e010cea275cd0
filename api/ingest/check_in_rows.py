"""Rows of errata_raw.check_ins: statuses of the runs of scheduled jobs.

The form is Sentry's (develop.sentry.dev/sdk/telemetry/check-ins).
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import occurred_at
from api.ingest.values import NIL, amount, row_id, text, warehouse_time
from errata.monitors.config import InvalidConfig, config_of
from errata.monitors.slug import SLUG_RULE, is_slug

TYPE = "check_in"
TABLE = "errata_raw.check_ins"
STATUSES = ("in_progress", "ok", "error")


def problem(payload: dict[str, Any]) -> str:
    """What is wrong with a check-in, in a sentence; empty: nothing."""
    if not is_slug(slug_of(payload)):
        return f"`monitor_slug` must be {SLUG_RULE}"
    if payload.get("status") not in STATUSES:
        return f"`status` must be one of {', '.join(STATUSES)}"
    if _check_in_id(payload) is None:
        return "`check_in_id` must be a UUID"
    if payload.get("monitor_config") is not None:
        try:
            config_of(payload["monitor_config"])
        except InvalidConfig as error:
            return str(error)
    return ""


def check_in_rows(item: Item, received_at: datetime) -> Rows:
    """One status of one run; none for a payload with a problem."""
    payload = item.payload
    if problem(payload):
        return {}
    when, is_corrected = occurred_at(payload.get("timestamp"), item.logged_at, received_at)
    slug, status, check_in_id = slug_of(payload), payload["status"], _check_in_id(payload) or NIL
    environment = text(payload.get("environment"), 64)
    duration = amount(payload.get("duration"))
    config = payload.get("monitor_config")
    # Runs without an id of their own are told apart by their moments.
    own = warehouse_time(when) if check_in_id == NIL else ""
    row = {
        "project_id": item.project_id,
        "monitor_slug": slug,
        "occurred_at": warehouse_time(when),
        "item_id": row_id(slug, environment, check_in_id, status, own),
        "is_clock_corrected": is_corrected,
        "check_in_id": check_in_id,
        "status": status,
        "environment": environment,
        "release": text(payload.get("release"), 250),
        "service": item.service,
        "host": item.host,
        "config": config_of(config).text if config is not None else "",
    }
    if duration is not None:
        row["duration_ms"] = duration * 1000
    return {TABLE: [row]}


def slug_of(payload: dict[str, Any]) -> str:
    slug = payload.get("monitor_slug")
    return slug.lower() if isinstance(slug, str) else ""


def _check_in_id(payload: dict[str, Any]) -> str | None:
    """As 32 hexadecimal digits, nil where none is named; None: not an id."""
    given = payload.get("check_in_id")
    if given is None or given == "":
        return NIL
    try:
        return UUID(given).hex if isinstance(given, str) and len(given) <= 36 else None
    except ValueError:
        return None


KINDS = (ItemKind(TYPE, check_in_rows, problem=problem),)
