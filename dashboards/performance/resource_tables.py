"""Tables of resources: words of their impact, and URLs in the order of a column."""

from collections.abc import Sequence

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
IMPACT_WORDS = {"high": "High", "medium": "Medium", "low": "Low"}


def in_order(rows: Sequence[ResourceRow], sort: str) -> list[ResourceRow]:
    """By one column; unknown values and the row for all other URLs come last either way."""
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
