from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.choices import Choices, choices_of_project
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


@pytest.mark.slow
def test_a_list_can_be_narrowed_to_what_was_seen_in_the_period(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    insert(ingest, "errata_raw.variants", [a_variant()])
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])
    seen = [
        (1, "staging", "shop@2", 7),
        (3, "production", "shop@1", 7),
        (5, "production", "", 7),
        (40, "old", "shop@0", 7),
        (1, "theirs", "other@1", 8),
    ]
    insert(
        ingest,
        "errata_raw.error_events",
        [
            an_error_event(
                occurred_at=NOW - days * DAY, environment=name, release=release, project_id=project
            )
            for days, name, release, project in seen
        ],
    )
    since = NOW - 14 * DAY
    for _ in ("live", "built"):
        assert choices_of_project(read.uncached(), 7, since) == Choices(
            ["staging", "production"], ["shop@2", "shop@1"]
        )
        build_marts(warehouse, *MARTS_OF_ISSUES)
    late = an_error_event(occurred_at=NOW, environment="production", release="shop@3")
    insert(ingest, "errata_raw.error_events", [late])
    found = choices_of_project(read.uncached(), 7, since)
    assert found == Choices(["production", "staging"], ["shop@3", "shop@2", "shop@1"])
    assert choices_of_project(read.uncached(), 7, NOW + DAY) == Choices([], [])
