"""What changes over days: the p75 of page loads, of each page and of all together."""

from collections.abc import Sequence
from datetime import date

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# The p75 of fewer samples says more about chance than about the page.
FEWEST_SAMPLES = 20


def daily_series(
    warehouse: Warehouse,
    project_id: int,
    since: date,
    until: date,
    metrics: Sequence[str],
    fewest_days: int,
) -> list[Row]:
    """The busiest first, of at least so many days."""
    return warehouse.rows(
        sql.query("daily_series"),
        {
            "project_id": project_id,
            "since": since,
            "until": until,
            "metrics": list(metrics),
            "fewest_samples": FEWEST_SAMPLES,
            "fewest_days": fewest_days,
        },
    )


def projects_with_page_loads(warehouse: Warehouse, since: date, until: date) -> dict[int, int]:
    """Projects with page loads from `since` on, and the number of their days before `until`."""
    rows = warehouse.rows(sql.query("projects_with_page_loads"), {"since": since, "until": until})
    return {row["project_id"]: row["day_count"] for row in rows}
