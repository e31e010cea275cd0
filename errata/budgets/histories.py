"""Histories of budgets, kept while nothing was built since."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from errata.budgets.evaluation import LENGTH, history, mart_of
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.warehouse.at_once import at_once
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.metric_over_time import built_through, last_end, version

# Further back than any window of a history reaches.
READ = LENGTH + timedelta(days=40)
MOST_KEPT = 500

Stand = tuple[int, datetime]


@dataclass
class Histories:
    """Of one web process: what is kept is given out only where the hours are those it was made from."""

    _kept: dict[tuple[int, Limit], tuple[Stand, History]] = field(default_factory=dict)

    def of(self, warehouse: Warehouse, project_id: int, limits: Sequence[Limit]) -> list[History]:
        """Of the last 30 days, by the last build; not to be asked for inside a pool of questions."""
        since = datetime.now(UTC) - READ
        builds = {
            mart: (built_through(warehouse, mart), version(warehouse, mart, project_id, since))
            for mart in sorted(set(map(mart_of, limits)))
        }
        questions = [
            partial(self._of, warehouse, project_id, each, *builds[mart_of(each)]) for each in limits
        ]
        return at_once(questions) if questions else []

    def _of(
        self, warehouse: Warehouse, project_id: int, limit: Limit, as_of: datetime | None, hours: int
    ) -> History:
        if as_of is None:
            return History([], None)
        stand, key = (hours, last_end(as_of, limit.step)), (project_id, limit)
        kept = self._kept.get(key)
        if kept and kept[0] == stand:
            return replace(kept[1], as_of=as_of)
        found = history(warehouse, project_id, limit, as_of)
        while len(self._kept) >= MOST_KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[key] = (stand, found)
        return found
