"""Rows of errata_raw.replay_segments: a segment arrives as a description and as recorded bytes."""

import re
from base64 import b64encode
from datetime import datetime
from typing import Any

import msgspec

from api.ingest.addresses import storable
from api.ingest.item import Item, Rows
from api.ingest.moment import moment, occurred_at
from api.ingest.values import NIL, identifier, mapping, row_id, text, user_hash, warehouse_time, whole

SEGMENT_ID = re.compile(rb'\s*\{\s*"segment_id"\s*:\s*(-?\d{1,20})\s*\}\s*\n')
_encode = msgspec.json.Encoder().encode


def replay_event_rows(item: Item, received_at: datetime) -> Rows:
    payload = item.payload
    replay_id = identifier(payload.get("replay_id") or payload.get("event_id"))
    segment_id = whole(payload.get("segment_id"))
    when, is_corrected = occurred_at(payload.get("timestamp"), item.logged_at, received_at)
    started, user = moment(payload.get("replay_start_timestamp")), mapping(payload.get("user"))
    row = {
        **_shared(item, replay_id, segment_id, "event", (when, is_corrected)),
        "replay_type": text(payload.get("replay_type"), 32),
        "environment": text(payload.get("environment"), 64),
        "release": text(payload.get("release"), 250),
        "user_hash": user_hash(
            user.get("id"), user.get("email"), user.get("username"), user.get("ip_address")
        ),
        "urls": [storable(address[:4000]) for address in _texts(payload.get("urls"))],
        "error_ids": _texts(payload.get("error_ids")),
        "trace_ids": _texts(payload.get("trace_ids")),
        "payload": _encode(payload).decode(),
    }
    if started is not None:
        row["started_at"] = warehouse_time(min(started, when))
    return {"errata_raw.replay_segments": [row]}


def replay_recording_rows(item: Item, received_at: datetime) -> Rows:
    """The rows. The bytes name their segment but not their recording: the headers keep the envelope's id."""
    recorded = item.binary or _encode(item.payload)
    found = SEGMENT_ID.match(recorded[:200])
    headers, trace = item.headers, mapping(item.headers.get("trace"))
    replay_id = identifier(headers.get("replay_id") or headers.get("event_id") or trace.get("replay_id"))
    row = {
        **_shared(
            item,
            replay_id,
            int(found[1]) if found else 0,
            "recording",
            occurred_at(None, item.logged_at, received_at),
        ),
        "payload": b64encode(recorded).decode(),
    }
    return {"errata_raw.replay_segments": [row]}


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
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
