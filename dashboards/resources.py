"""What the tab Resources shows: types, what holds the first paint back, and URLs in an order."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.waterfall import TYPES
from errata.reports import formats
from errata.warehouse.queries.performance.resources import OTHERS, ResourceRow

URL_SORTS = (
    "url",
    "decoded_bytes",
    "body_bytes",
    "duration_ms",
    "resource_count",
    "view_count",
    "error_count",
)
DEFAULT_SORT = "-decoded_bytes"
MOST_URLS = 30
MOST_BLOCKING = 12
IMPACT_WORDS = {"high": "High", "medium": "Medium", "low": "Low"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One card."""

    name: str
    value: str
    note: str


def cards(types: Sequence[ResourceRow]) -> list[Figure]:
    """What a page load takes of each type, of the loads that take any."""
    known = {row.type: row for row in types}
    found = []
    for name in ("script", "style", "image", "font"):
        row = known.get(name)
        if row is not None:
            note = f"compressed, in {row.per_view:.1f} files a page load"
            found.append(Figure(TYPES[name], formats.size(row.bytes_per_view), note))
    if "api" in known:
        calls = known["api"]
        note = f"p75, {calls.per_view:.1f} calls a page load"
        found.append(Figure("API", formats.duration(calls.duration_ms.p75), note))
    wire = sum(row.transfer_bytes for row in types)
    if types:
        found.append(Figure("Over the wire", formats.size(wire), "all of the period, without the cache"))
    return found


def in_order(rows: Sequence[ResourceRow], sort: str) -> list[ResourceRow]:
    """By one column; what is not known, and what stands for many URLs, comes last either way."""
    name, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in URL_SORTS:
        name, is_descending = DEFAULT_SORT.removeprefix("-"), True
    single = [row for row in rows if row.url != OTHERS]
    known = [row for row in single if _key(row, name) is not None]
    rest = [row for row in single if _key(row, name) is None] + [row for row in rows if row.url == OTHERS]
    return sorted(known, key=lambda row: _sortable(_key(row, name)), reverse=is_descending) + rest


def _key(row: ResourceRow, name: str) -> float | str | None:
    return row.duration_ms.p75 if name == "duration_ms" else getattr(row, name)


def _sortable(value: float | str | None) -> tuple[float, str]:
    return (0, value) if isinstance(value, str) else (value or 0, "")
