from datetime import UTC, datetime, timedelta

import pytest

from errata.clock import EPOCH
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.progress import Progress, last_build, progress
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

MART = "variant_hourly"
ASKED = {"projects": [1]}


def test_a_mart_is_as_of_its_last_build_and_skips_raw_rows_a_while_after(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    assert progress(read, MART) == Progress(EPOCH, None)
    assert last_build(read, ASKED, MART).as_of is None
    insert(ingest, "errata_raw.error_events", [an_error_event()])
    began = datetime.now(UTC)
    report = build_marts(warehouse, MART, lag=timedelta(seconds=40))[MART]
    first = progress(read, MART)
    assert first.as_of is not None
    assert began - timedelta(seconds=41) < first.as_of <= datetime.now(UTC) - timedelta(seconds=40)
    # An insert that began before it may still be on its way.
    assert first.complete_through < first.as_of
    let_bound_take_hold(warehouse)
    assert progress(read, MART) == Progress(first.as_of, first.as_of, first.as_of)
    assert progress(read, "variant_daily") == Progress(EPOCH, None)
    assert not report.waiting


@pytest.mark.slow
def test_what_an_answer_is_told_from_changes_with_each_build_of_what_it_reads(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    insert(ingest, "errata_raw.error_events", [an_error_event()])
    build_marts(warehouse, MART)
    hourly, both = last_build(read, ASKED, MART), last_build(read, ASKED, MART, "variant_daily")
    assert (hourly.as_of, len(hourly.rows), len(both.rows)) == (progress(read, MART).as_of, 1, 2)
    assert last_build(read, ASKED, MART).rows == hourly.rows
    build_marts(warehouse, "variant_daily")
    assert last_build(read, ASKED, MART).rows == hourly.rows
    assert last_build(read, ASKED, MART, "variant_daily").rows != both.rows
