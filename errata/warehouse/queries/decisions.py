"""What people decided since a build, asked for only when a log has grown or the clock woke an issue."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.log_sizes import LogSizes, log_sizes


@dataclass
class Remembered:
    """`sizes`: of the logs that it was read from."""

    sizes: LogSizes | None = None
    decisions: Row = field(default_factory=dict)

    def holds(self, sizes: LogSizes, now: datetime) -> bool:
        if not self.decisions or self.sizes != sizes:
            return False
        next_end = utc(self.decisions["next_end"])
        return next_end == EPOCH or now < next_end


def decisions_since_build(warehouse: Warehouse, project_id: int, built_through: str) -> Row:
    """As of now: moved_count, decided, decision_count, restored_count."""
    remembered = _remembered(warehouse, project_id, built_through)
    asked_at, sizes = log_sizes(warehouse, project_id)
    if remembered.holds(sizes, asked_at):
        return remembered.decisions
    scope = {"project_id": project_id, "built_through": built_through}
    (decisions,) = warehouse.rows(sql.query("decisions_since_build"), scope)
    remembered.sizes, remembered.decisions = sizes, decisions
    return decisions


@lru_cache(maxsize=64)
def _remembered(_warehouse: Warehouse, _project_id: int, _built_through: str) -> Remembered:
    return Remembered()
