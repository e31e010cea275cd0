"""Rows of all items other than error events."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from api.ingest import attachment_rows, bounds, check_in_rows, feedback_rows, log_rows
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
    check_in_rows.TYPE: check_in_rows.check_in_rows,
    log_rows.TYPE: log_rows.log_rows,
    feedback_rows.TYPE: feedback_rows.feedback_rows,
    feedback_rows.OLDER_TYPE: feedback_rows.user_report_rows,
    attachment_rows.TYPE: attachment_rows.attachment_rows,
    "replay_event": replay_event_rows,
    "replay_recording": replay_recording_rows,
}
TYPES = frozenset(ROWS_OF_TYPE)


def rows_of(item: Item, received_at: datetime, outcomes: Counter[str] | None = None) -> Rows:
    """Rows by table, with numbers in bounds; none for a type that is not stored.

    Counts dropped values and records. Never raises, whatever the payload's shape.
    """
    make = ROWS_OF_TYPE.get(item.type)
    rows = make(item, received_at) if make is not None else {}
    dropped = bounds.hold(rows) + bounds.leave_out_old(rows, received_at)
    if item.recording is not None:
        dropped += item.recording.left_out_count
    if dropped and outcomes is not None:
        outcomes[bounds.OUT_OF_BOUNDS] += dropped
    if item.type == log_rows.TYPE and outcomes is not None:
        outcomes.update(log_rows.left_out_logs(item))
    return rows
