"""One row for each page load, whenever its parts come; what is built from it follows."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from api.ingest.item import Rows
from errata.warehouse.queries.performance.waterfall import waterfall
from errata.warehouse.roles import Role
from tests.mart_builds import build_marts, in_marts, made_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

YESTERDAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
MARTS = ("page_metrics_daily", "page_metrics_hourly")


def a_part(view: int, item: int, at: datetime, **columns: Any) -> Rows:
    own = {
        "project_id": 1,
        "view_id": view,
        "trace_id": str(UUID(int=view)),
        "item_id": str(UUID(int=item)),
        "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.000",
        "started_at_ms": at.timestamp() * 1000,
    }
    return {"errata_raw.page_views": [own | columns]}


def a_load(view: int, at: datetime, **columns: Any) -> Rows:
    opened = {"is_load": True, "navigation_type": "navigate", "page": "/", "device": "mobile"}
    return a_part(view, 10 * view, at, load_at_ms=at.timestamp() * 1000 + 700, **opened, **columns)


def test_an_interaction_moves_to_the_load_that_was_open_when_that_load_comes_later(
    warehouse: WarehouseProcess,
) -> None:
    nine, ten = (YESTERDAY + timedelta(hours=hour, minutes=5) for hour in (9, 10))
    trace = str(UUID(int=1))
    interaction = a_part(0, 12, ten + timedelta(seconds=9), trace_id=trace, inp_ms=80.0)
    store(warehouse, a_load(1, nine), interaction)
    build_marts(warehouse, "page_loads")
    assert interactions(warehouse) == {1: 80}
    store(warehouse, a_load(2, ten, trace_id=trace))
    reports = build_marts(warehouse, "page_loads")
    assert len(reports["page_loads"].windows) == 2
    assert interactions(warehouse) == {2: 80}
    # A waterfall reads raw rows by the same rules; what came too late is in neither.
    late = {"received_at": f"{datetime.now(UTC) + timedelta(days=2, minutes=1):%Y-%m-%d %H:%M:%S}"}
    store(warehouse, a_part(2, 21, ten, lcp_ms=400.0, **late))
    views = [waterfall(warehouse.client(Role.READ), [1], f"{view:016x}").view for view in (1, 2)]
    assert [(view.inp_ms, view.lcp_ms) for view in views] == [(None, None), (80, None)]
    assert in_marts(warehouse, ("page_loads",)) == made_anew(warehouse, ("page_loads",))


def interactions(warehouse: WarehouseProcess) -> dict[int, float]:
    rows = warehouse.client(Role.READ).rows(
        "select view_id, inp_ms from errata_mart.page_loads where not isNaN(inp_ms)", {"projects": [1]}
    )
    return {row["view_id"]: row["inp_ms"] for row in rows}


@pytest.mark.slow
def test_a_load_in_three_parts_is_one_row_and_only_its_hour_is_put_together_again(
    warehouse: WarehouseProcess,
) -> None:
    nine, ten = (YESTERDAY + timedelta(hours=hour, minutes=5) for hour in (9, 10))
    store(warehouse, a_load(1, nine, call_ms=[5.0, 7.0]), a_load(2, ten), a_load(2, ten))
    build_marts(warehouse, *MARTS)
    # An interaction that names its trace alone, and a file.
    later = a_part(0, 12, nine + timedelta(seconds=9), trace_id=str(UUID(int=1)), inp_ms=80.0)
    file = {
        **{"project_id": 1, "view_id": 1, "item_id": str(UUID(int=13)), "type": "script"},
        **{"body_bytes": 900, "url": "/a.js", "start_us": 1, "duration_ms": 1},
    }
    store(
        warehouse,
        a_part(1, 11, nine + timedelta(seconds=2), lcp_ms=400.0, lcp_url="/hero.png"),
        later,
        {
            "errata_raw.page_resources": [
                file | {"item_id": str(UUID(int=13)), "start_us": 1, "duration_ms": 1}
            ]
        },
    )
    reports = build_marts(warehouse, *MARTS)
    hour = YESTERDAY + timedelta(hours=9)
    windows = {mart: report.windows for mart, report in reports.items()}
    assert windows == {
        "page_loads": [hour],
        "page_metrics_hourly": [hour],
        "page_metrics_daily": [YESTERDAY],
    }
    client = warehouse.client(Role.READ)
    first, second = client.rows(
        "select view_id, load_ms, lcp_ms, lcp_url, inp_ms, api_ms, request_count, script_bytes, device "
        "from errata_mart.page_loads order by view_id",
        {"projects": [1]},
    )
    assert first == {
        **{"view_id": 1, "load_ms": 700.0, "lcp_ms": 400.0, "lcp_url": "/hero.png", "inp_ms": 80.0},
        **{"api_ms": [5.0, 7.0], "request_count": 1, "script_bytes": 900, "device": "mobile"},
    }
    assert (second["view_id"], second["load_ms"], second["request_count"]) == (2, 700.0, 0)
    every = ("page_loads", *MARTS)
    assert in_marts(warehouse, every) == made_anew(warehouse, every)
    client.close()
