"""Histories of budgets, cached: only windows over days rebuilt since are evaluated again."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from threading import Lock

from errata.budgets.evaluation import mart_of, outcomes, warmed_up, with_states
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.state import Evaluation
from errata.period import Grain
from errata.warehouse.asked import is_recording
from errata.warehouse.at_once import at_once
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.queries.performance.metric_over_time import days_built, last_end
from errata.warehouse.queries.progress import last_build

log = logging.getLogger("errata.budgets")

LENGTH = timedelta(days=30)
# Further back than any window of a history reaches.
READ = timedelta(days=75)
# Each takes about 150 KB.
MOST_KEPT = 150

Days = Mapping[date, datetime]


@dataclass(frozen=True)
class Build:
    """Windows are evaluated `through` the last build; all that was received before `as_of` is in them."""

    through: datetime | None
    as_of: datetime | None
    days: Days


Tell = Callable[[Warehouse, int, Limit, Build], History]


@dataclass(frozen=True)
class Kept:
    """`windows` as of builds of the days at these moments."""

    days: Days
    windows: Sequence[Evaluation]


@dataclass
class Histories:
    """The histories of one web process."""

    _kept: dict[tuple[int, Limit], tuple[Kept, ...]] = field(default_factory=dict)
    """As of the last two builds: readers keep to one while the next one is asked ahead of them."""
    _lock: Lock = field(default_factory=Lock)

    def all(self, warehouse: Warehouse, project_id: int, limits: Sequence[Limit]) -> list[History]:
        """Histories of the last 30 days, by the last build. Not to be called inside a pool of questions. One
        that fails says so, and does not affect the others."""
        return self._each(warehouse, project_id, limits, self._history_or_failure)

    def one(self, warehouse: Warehouse, project_id: int, limit: Limit) -> History:
        """The history of one limit. Raises the errors of its question."""
        return self._each(warehouse, project_id, [limit], self._history)[0]

    def _each(
        self, warehouse: Warehouse, project_id: int, limits: Sequence[Limit], tell: Tell
    ) -> list[History]:
        marts = sorted(set(map(mart_of, limits)))
        whole = warehouse.noted(
            (tell, project_id, tuple(limits)),
            lambda read: self._each(read, project_id, limits, tell),
            [f"errata_mart.{mart}" for mart in marts],
        )
        with whole:
            # Fetched before the windows: days built meanwhile are only evaluated once more.
            builds = {mart: _build(warehouse, mart, project_id) for mart in marts}
            questions = [partial(tell, warehouse, project_id, one, builds[mart_of(one)]) for one in limits]
            return at_once(questions) if questions else []

    def _history_or_failure(
        self, warehouse: Warehouse, project_id: int, limit: Limit, build: Build
    ) -> History:
        try:
            return self._history(warehouse, project_id, limit, build)
        except QueryFailed as error:
            log.warning("A budget of project %d could not be checked: %s", project_id, error.reason)
            return History([], build.as_of, has_failed=True)

    def _history(self, warehouse: Warehouse, project_id: int, limit: Limit, build: Build) -> History:
        if build.through is None:
            return History([], None)
        until, days = last_end(build.through, limit.step), build.days
        begin = warmed_up(limit, until - LENGTH)
        known = () if is_recording() else self._kept.get((project_id, limit), ())
        kept = next((one for one in known if one.days == days), known[0] if known else Kept({}, []))
        same = [each for each in kept.windows if begin < each.at <= min(until, _same_until(kept.days, days))]
        # A gap between kept windows, after a long time without a request, would never close.
        if same and same[0].at - limit.step > begin:
            same = []
        since = same[-1].at if same else begin
        windows = [*same, *outcomes(warehouse, project_id, limit, since, until)]
        self._keep((project_id, limit), Kept(days, windows))
        return History([each for each in with_states(windows) if each.at > until - LENGTH], build.as_of)

    def _keep(self, key: tuple[int, Limit], kept: Kept) -> None:
        with self._lock:
            while key not in self._kept and len(self._kept) >= MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            others = [one for one in self._kept.get(key, ()) if one.days != kept.days]
            self._kept[key] = kept, *others[:1]


def _build(warehouse: Warehouse, mart: str, project_id: int) -> Build:
    """The last build and its days. A build publishes all its days together."""
    since = Grain.DAY.begin(datetime.now(UTC)) - READ
    build = last_build(warehouse, {"project_id": project_id, "since": since}, mart)
    return Build(build.through, build.as_of, days_built(warehouse, mart, project_id, since))


def _same_until(before: Days, after: Days) -> datetime:
    """The end of the last windows without a rebuilt day."""
    changed = [day for day in after if before.get(day) != after[day]]
    return datetime.combine(min(changed), time(), UTC) if changed else datetime.max.replace(tzinfo=UTC)
