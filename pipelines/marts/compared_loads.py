"""The page loads of two releases, out of raw: sampled by hash, so that a busy site costs no more than a
small one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from errata.statistics.matching import Views
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.late_rows import PART_WAITS
from pipelines.build.records import arrivals_of_windows

METRICS = ("load_ms", "ttfb_ms", "fcp_ms", "lcp_ms", "inp_ms", "cls", "api_ms", "js_bytes")
# The release before is looked at this long before the later one came: every hour of the week is in it.
BASELINE = timedelta(days=7)
SOURCE = "page_metrics_daily"
LOADS_A_SIDE = 20_000
LOADS_A_PAGE_AND_SIDE = 2_500
MOST_PAGES = 40
# Resources are ten times as many as loads.
LOADS_WITH_SCRIPTS = 2_000
IDS_A_QUESTION = 5_000
MILLION = 1_000_000


@dataclass(frozen=True)
class Arrived:
    """Between which moments of receipt the rows of some days lie: prunes partitions of raw."""

    since: datetime
    until: datetime


@dataclass(frozen=True)
class Pair:
    """A release, the one before it (itself: none), and until when they are compared."""

    project_id: int
    environment: str
    after: str
    before: str
    began: datetime
    until: datetime
    arrived: Arrived

    def parameters(self) -> dict[str, object]:
        return {
            "project_id": self.project_id,
            "environment": self.environment,
            "after": self.after,
            "before": self.before,
            "began": self.began,
            "since": self.began - BASELINE,
            "until": self.until,
            "received_from": self.arrived.since,
            "received_until": self.arrived.until,
        }


def arrivals(warehouse: Warehouse, first: date, last: date) -> Arrived:
    """Of page loads of these days, both included, as the mart of days recorded them: however late they
    came. Days that are ahead of the clock begin after they end: then of the first alone."""
    day_count = max(1, (last - first).days + 1)
    days = [_midnight(first) + timedelta(days=number) for number in range(day_count)]
    known = arrivals_of_windows(warehouse.rows, SOURCE, days)
    return Arrived(
        min((window.first_received_at for window in known), default=days[0]) - PART_WAITS,
        max((window.last_received_at for window in known), default=days[-1]) + PART_WAITS,
    )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


@dataclass(frozen=True)
class Loads:
    """Columns, a load each; `pages` are the names that `page` counts through, the busiest first."""

    pages: Sequence[str]
    is_after: NDArray[np.bool_]
    page: NDArray[np.int64]
    device: NDArray[np.int64]
    seconds: NDArray[np.float64]
    is_of_whole: NDArray[np.bool_]
    """In the sample of all pages together, where each page has its own share."""
    user: NDArray[np.uint64]
    metrics: dict[str, NDArray[np.float64]]

    def views(self, metric: str, held: NDArray[np.bool_]) -> Views:
        groups = self.page * (1 + int(self.device.max(initial=0))) + self.device
        return Views(self.metrics[metric], groups, self.seconds).where(held)


def compared_loads(warehouse: Warehouse, pair: Pair) -> Loads | None:
    """None where the release, or the one before, has no load in the time compared."""
    counts = warehouse.rows(sql.query("loads_to_compare"), pair.parameters())
    after, before = (sum(row[f"{side}_count"] for row in counts) for side in ("after", "before"))
    if not after or not before:
        return None
    whole = _share(LOADS_A_SIDE, max(after, before))
    pages = [row["page"] for row in counts]
    shares = [
        max(whole, _share(LOADS_A_PAGE_AND_SIDE, max(row["after_count"], row["before_count"])))
        if number < MOST_PAGES
        else whole
        for number, row in enumerate(counts)
    ]
    found = warehouse.columns(
        sql.query("loads_compared"), {**pair.parameters(), "pages": pages, "shares": shares}
    )
    if not found.get("view_id"):
        return None
    devices = sorted(set(found["device"]))
    number_of = {page: number for number, page in enumerate(pages)}
    metrics = {name: np.array(found[name], dtype=np.float64) for name in METRICS if name in found}
    chosen_by = np.array(found["chosen_by"])
    is_after = np.array(found["is_after"], dtype=np.bool_)
    metrics["js_bytes"] = _script_bytes(warehouse, pair, found["view_id"], is_after, chosen_by)
    return Loads(
        pages=pages,
        is_after=is_after,
        page=np.array([number_of[page] for page in found["page"]], dtype=np.int64),
        device=np.array([devices.index(device) for device in found["device"]], dtype=np.int64),
        seconds=np.array(found["occurred_at"], dtype=np.float64),
        is_of_whole=chosen_by < whole,
        user=np.array(found["user_hash"], dtype=np.uint64),
        metrics=metrics,
    )


def _share(wanted: int, count: int) -> int:
    """Millionths: hashes below it are about as many as wanted."""
    return MILLION if count <= wanted else max(1, wanted * MILLION // count)


def _script_bytes(
    warehouse: Warehouse,
    pair: Pair,
    view_ids: Sequence[int],
    is_after: NDArray[np.bool_],
    chosen_by: NDArray[np.int64],
) -> NDArray[np.float64]:
    """nan for loads that were not asked about, and for those without scripts."""
    values = np.full(len(view_ids), np.nan)
    asked: dict[int, int] = {}
    for side in (True, False):
        indexes = np.flatnonzero(is_after == side)
        for index in indexes[np.argsort(chosen_by[indexes], kind="stable")][:LOADS_WITH_SCRIPTS]:
            asked[int(view_ids[index])] = int(index)
    ids = list(asked)
    for start in range(0, len(ids), IDS_A_QUESTION):
        rows = warehouse.rows(
            sql.query("script_bytes_of_views"),
            {
                "project_id": pair.project_id,
                "view_ids": ids[start : start + IDS_A_QUESTION],
                "since": pair.arrived.since,
                "until": pair.arrived.until,
            },
        )
        for row in rows:
            values[asked[row["view_id"]]] = row["js_bytes"]
    return values
