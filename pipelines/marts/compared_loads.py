"""The page loads of two releases, sampled by hash: a busy site costs no more than a small one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from errata.statistics.comparison import LOADS_A_SIDE
from errata.statistics.matching import Views
from errata.statistics.mix import has_moved
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

METRICS = ("load_ms", "ttfb_ms", "fcp_ms", "lcp_ms", "inp_ms", "cls", "api_ms", "js_bytes")
# The span of the previous release before the later one began: every hour of the week is in it.
BASELINE = timedelta(days=7)
LOADS_A_PAGE_AND_SIDE = 2_500
MOST_PAGES = 40
MILLION = 1_000_000


@dataclass(frozen=True)
class Pair:
    """A release, the one before it (itself: none), and the end of the time compared."""

    project_id: int
    environment: str
    after: str
    before: str
    began: datetime
    until: datetime

    def parameters(self) -> dict[str, object]:
        return {
            "project_id": self.project_id,
            "environment": self.environment,
            "after": self.after,
            "before": self.before,
            "began": self.began,
            "since": self.began - BASELINE,
            "until": self.until,
        }


@dataclass(frozen=True)
class Loads:
    """Columns with one value a load; `pages` are the names that `page` numbers, the busiest first."""

    pages: Sequence[str]
    is_after: NDArray[np.bool_]
    page: NDArray[np.int64]
    device: NDArray[np.int64]
    seconds: NDArray[np.float64]
    is_of_all_pages: NDArray[np.bool_]
    """True for loads in the sample of all pages together, where each page has its own share."""
    user: NDArray[np.uint64]
    browser: NDArray[np.int64]
    is_unended: NDArray[np.bool_]
    """True for loads whose load time is only what they lasted at least."""
    metrics: dict[str, NDArray[np.float64]]

    @property
    def moved_mix(self) -> list[str]:
        """What the sample of all pages is of in other shares than before, and no comparison adjusts for."""
        held = self.is_of_all_pages
        columns = {
            "browsers": self.browser,
            "identified_users": (self.user != 0).astype(np.int64),
            "unended_loads": self.is_unended.astype(np.int64),
        }
        return [
            name
            for name, column in columns.items()
            if has_moved(column[held], self.is_after[held], self.user[held])
        ]

    def views(self, metric: str, held: NDArray[np.bool_]) -> Views:
        groups = self.page * (1 + int(self.device.max(initial=0))) + self.device
        return Views(self.metrics[metric], groups, self.seconds, self.user).where(held)


def compared_loads(warehouse: Warehouse, pair: Pair) -> Loads | None:
    """The loads to compare; None if either release has none in the time compared."""
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
    number_of = {page: number for number, page in enumerate(pages)}
    metrics = {name: np.array(found[name], dtype=np.float64) for name in METRICS}
    chosen_by = np.array(found["chosen_by"])
    is_after = np.array(found["is_after"], dtype=np.bool_)
    return Loads(
        pages=pages,
        is_after=is_after,
        page=np.array([number_of[page] for page in found["page"]], dtype=np.int64),
        device=_numbers(found["device"]),
        seconds=np.array(found["occurred_at"], dtype=np.float64),
        is_of_all_pages=chosen_by < whole,
        user=np.array(found["user_hash"], dtype=np.uint64),
        browser=_numbers(found["browser"]),
        is_unended=np.array(found["is_unended"], dtype=np.bool_),
        metrics=metrics,
    )


def _numbers(names: Sequence[str]) -> NDArray[np.int64]:
    number_of = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([number_of[name] for name in names], dtype=np.int64)


def _share(wanted: int, count: int) -> int:
    """The share in millionths: hashes below it give about as many loads as wanted."""
    return MILLION if count <= wanted else max(1, wanted * MILLION // count)
