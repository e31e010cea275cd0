"""Rows of everything that is not an error event."""

from collections.abc import Callable, Mapping
from datetime import datetime

from api.ingest.container_rows import span_rows
from api.ingest.item import Item, Rows
from api.ingest.replay_rows import replay_event_rows, replay_recording_rows
from api.ingest.session_rows import counted_session_rows, session_rows
from api.ingest.transaction_rows import transaction_rows

ROWS_OF_TYPE: Mapping[str, Callable[[Item, datetime], Rows]] = {
    "transaction": transaction_rows,
    "span": span_rows,
    "session": session_rows,
    "sessions": counted_session_rows,
    "replay_event": replay_event_rows,
    "replay_recording": replay_recording_rows,
}
TYPES = frozenset(ROWS_OF_TYPE)


def rows_of(item: Item, received_at: datetime) -> Rows:
    """Rows by table; none of a type that is not stored. Never raises, whatever the payload's shape."""
    make = ROWS_OF_TYPE.get(item.type)
    return make(item, received_at) if make is not None else {}
