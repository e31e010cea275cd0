"""Rows of errata_raw.replay_segments: a segment arrives as a description and as recorded bytes."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from api.ingest.addresses import storable
from api.ingest.bounds import OUT_OF_BOUNDS
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind
from api.ingest.moment import EARLIEST, moment, occurred_at
from api.ingest.recording import Recording, opened
from api.ingest.values import NIL, identifier, label, mapping, row_id, text, user_hash, warehouse_time, whole
from errata.client_software import client_software

RECORDING = "replay_recording"
# As many as the SDK names in a segment.
MOST_NAMED = 100
COUNTED = (
    "event_count",
    "click_count",
    "rage_click_count",
    "dead_click_count",
    "console_error_count",
    "request_count",
    "navigation_count",
)
_encode = msgspec.json.Encoder().encode


def replay_event_rows(item: Item, received_at: datetime) -> Rows:
    payload = item.payload
    replay_id = identifier(payload.get("replay_id") or payload.get("event_id"))
    segment_id = whole(payload.get("segment_id"))
    when, is_corrected = occurred_at(payload.get("timestamp"), item.logged_at, received_at)
    started = moment(payload.get("replay_start_timestamp"))
    row = {
        **_shared(item, replay_id, segment_id, "event", (when, is_corrected)),
        "replay_type": text(payload.get("replay_type"), 32),
        "environment": text(payload.get("environment"), 64),
        "release": text(payload.get("release"), 250),
        **_user(mapping(payload.get("user"))),
        "urls": [storable(address[:4000]) for address in _texts(payload.get("urls"))],
        "error_ids": _texts(payload.get("error_ids")),
        "trace_ids": _texts(payload.get("trace_ids")),
        **client_software(mapping(payload.get("contexts")), mapping(payload.get("request")))._asdict(),
        "payload": _encode(payload).decode(),
    }
    if started is not None:
        row["started_at"] = warehouse_time(min(started, when))
    return {"errata_raw.replay_segments": [row]}


def _user(user: dict[str, Any]) -> dict[str, Any]:
    user_id, email, name, address = map(user.get, ("id", "email", "username", "ip_address"))
    return {
        "user_id": label(user_id),
        "user_email": label(email),
        "user_name": label(name),
        "user_ip": label(address, 64),
        "user_hash": user_hash(user_id, email, name, address),
    }


def replay_recording_rows(item: Item, received_at: datetime) -> Rows:
    """The rows. The bytes name their segment but not their replay: the headers keep the envelope's id."""
    headers, trace, recording = item.headers, mapping(item.headers.get("trace")), item.content
    if not isinstance(recording, Recording) or not recording.counts.event_count:
        return {}
    replay_id = identifier(headers.get("replay_id") or headers.get("event_id") or trace.get("replay_id"))
    counts = recording.counts
    # By the browser's clock, or moved with the moment that replaces its last one.
    last = datetime.fromtimestamp(counts.last_ms / 1000, UTC) if counts.last_ms else None
    when = occurred_at(counts.last_ms / 1000 if last else None, item.logged_at, received_at)
    row = {
        **_shared(item, replay_id, recording.segment_id, "recording", when),
        "recording": recording.events,
        "recording_bytes": recording.events.inflated_bytes,
        **{name: getattr(counts, name) for name in COUNTED},
        "is_unmasked": counts.is_unmasked,
    }
    if last is not None:
        lasted = timedelta(milliseconds=counts.last_ms - counts.first_ms)
        row["first_event_at"] = warehouse_time(max(when[0] - lasted, EARLIEST))
        row["last_event_at"] = warehouse_time(when[0])
    return {"errata_raw.replay_segments": [row]}


def left_out_events(item: Item) -> Mapping[str, int]:
    """What a recording has among its events that is none."""
    count = item.content.left_out_count if isinstance(item.content, Recording) else 0
    return {OUT_OF_BOUNDS: count} if count else {}


def _shared(
    item: Item, replay_id: str, segment_id: int, part: str, when: tuple[datetime, bool]
) -> dict[str, Any]:
    known = replay_id != NIL
    return {
        "project_id": item.project_id,
        "replay_id": replay_id,
        "segment_id": segment_id,
        "part": part,
        "occurred_at": warehouse_time(when[0]),
        "item_id": row_id(replay_id, segment_id, part) if known else item.content_id.hex,
        "is_clock_corrected": when[1],
    }


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)][:MOST_NAMED] if isinstance(value, list) else []


KINDS = (
    ItemKind("replay_event", replay_event_rows),
    ItemKind(RECORDING, replay_recording_rows, opened=opened, left_out=left_out_events),
)
