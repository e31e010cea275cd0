"""Handlers of a minified build: a source map names them, and builds of an SDK's wrapper are one cause."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from errata.performance.causes import Cause
from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.queries.performance.causes_of_page import CauseRow, causes_of_page
from errata.warehouse.roles import Role
from tests.browser_builds import extract_builds
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.uploading import uploading
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
BUILD = "http://shop.localhost:8471/assets/1.1.0/checkout-ADMYCDFX.js"
WRAPPERS = ("http://shop.localhost:8471/sdk-a.js", "http://shop.localhost:8471/sdk-b.js")


def a_load(number: int, project_id: int, file: str, function: str, position: int) -> dict[str, Any]:
    at = NOW - timedelta(days=1, minutes=number)
    start = round(at.timestamp() * 1000)
    frame = {
        "start_ms": start + 1000,
        "duration_ms": 250.0,
        "invoker": "BUTTON#pay.onclick",
        "invoker_type": "event-listener",
        "file": file,
        "function": function,
        "position": position,
    }
    return {
        "project_id": project_id,
        "view_id": number + 1,
        "item_id": f"{number + 1:032x}",
        "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}",
        "is_load": True,
        "navigation_type": "navigate",
        "page": "/checkout",
        "started_at_ms": start,
        "inp_ms": 260.0,
        "inp_at_ms": start + 1000,
        "inp_target": "button#pay",
        "frames": [frame],
    }


@pytest.mark.slow
def test_a_map_names_a_handler_and_all_builds_of_a_wrapper_are_one_cause(
    warehouse: WarehouseProcess, tmp_path: Path
) -> None:
    assets = extract_builds(tmp_path / "builds") / "1.1.0" / "assets"
    # V8 counts from the parameters on.
    pay = (assets / "checkout-ADMYCDFX.js").read_text().index("function h(", 747_000) + len("function h")
    with uploading(warehouse, tmp_path) as api:
        project_id = api.project.id
        handlers = [a_load(number, project_id, BUILD, "h", pay) for number in range(25)]
        wrapped = [a_load(30 + number, project_id, WRAPPERS[number % 2], "r", 70) for number in range(30)]
        store(warehouse, {"errata_raw.page_views": [*handlers, *wrapped]})
        build_marts(warehouse, "page_causes_daily")
        read = warehouse.client(Role.READ)
        filters = Filters([project_id], Period("7d"), NOW)

        def found() -> list[tuple[str, str, int]]:
            (vital,) = causes_of_page(read, filters, "/checkout").vitals
            assert vital.metric is Cause.INP and vital.known_count == vital.load_count == 55
            return [told(row) for row in vital.rows]

        # Any of them may be a wrapper.
        assert found() == [("", "", 55)]
        api.upload(assets, "shop-web@1.1.0", "~/assets/1.1.0")
        assert found() == [("", "", 30), ("pay", "src/pages/checkout.js:11", 25)]
        read.close()


def told(row: CauseRow) -> tuple[str, str, int]:
    assert (row.element, row.invoker) == ("button#pay", "BUTTON#pay.onclick")
    assert row.value.p75 == 260 and row.parts["processing_ms"].p75 == 250
    return row.function, row.source, row.load_count
