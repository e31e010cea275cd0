"""Rows of all items other than error events. Each file of a kind, or of kinds of one form, is named here."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from api.ingest import (
    attachment_rows,
    bounds,
    check_in_rows,
    container_rows,
    feedback_rows,
    log_rows,
    replay_rows,
    session_rows,
    transaction_rows,
)
from api.ingest.item import Item, Rows
from api.ingest.kind import ItemKind

KINDS: Mapping[str, ItemKind] = {
    kind.type: kind
    for kind in (
        *transaction_rows.KINDS,
        *container_rows.KINDS,
        *session_rows.KINDS,
        *check_in_rows.KINDS,
        *log_rows.KINDS,
        *feedback_rows.KINDS,
        *attachment_rows.KINDS,
        *replay_rows.KINDS,
    )
}
TYPES = frozenset(KINDS)


def rows_of(item: Item, received_at: datetime, outcomes: Counter[str] | None = None) -> Rows:
    """Rows by table, with numbers in bounds; none for a type that is not stored.

    Counts dropped values and records. Never raises, whatever the payload's shape.
    """
    kind = KINDS.get(item.type)
    if kind is None:
        return {}
    rows = kind.rows(item, received_at)
    dropped = bounds.hold(rows) + bounds.leave_out_old(rows, received_at)
    if outcomes is not None:
        outcomes.update(kind.left_out(item))
        if dropped:
            outcomes[bounds.OUT_OF_BOUNDS] += dropped
    return rows
