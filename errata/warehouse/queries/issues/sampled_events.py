"""A sample of the last week's events of a project."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.filters.preview import StoredEvent
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.deletions import kept_events

# Each event may lie in a granule of its own, of 10 MiB: to read 500 takes up to ten seconds.
SAMPLE = 500
LONGEST_BYTES = 128 << 10
MOST_BYTES = 16 << 20
WITHIN_SECONDS = 15


@dataclass(frozen=True)
class Sample:
    """`row_count`: all rows that were received, copies included."""

    events: Sequence[StoredEvent]
    row_count: int

    @property
    def is_part(self) -> bool:
        """Whether events were left out by chance: too many were received, or too large ones."""
        byte_count = sum(len(event.payload) for event in self.events)
        return self.row_count >= 2 * SAMPLE or byte_count > MOST_BYTES - LONGEST_BYTES


def sampled_events(warehouse: Warehouse, project_id: int, since: datetime) -> Sample:
    """About 500 events received since then, by chance; all, of fewer than twice as many."""
    statement = sql.query("sampled_events").at(is_kept=kept_events(warehouse, [project_id]))
    bound = {
        "project_id": project_id,
        "since": since,
        "sample_size": SAMPLE,
        "limit": 2 * SAMPLE,
        "longest_bytes": LONGEST_BYTES,
        "most_bytes": MOST_BYTES,
    }
    rows = warehouse.limited(WITHIN_SECONDS).rows(statement, bound)
    events = [StoredEvent(row["issue_id"], row["payload"].encode()) for row in rows]
    return Sample(events, rows[0]["event_count"] if rows else 0)
