from datetime import UTC, datetime, timedelta

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.release_starts import ReleaseStart, deploys, release_starts
from errata.warehouse.roles import Role
from tests.builders import Row, insert
from tests.processes import WarehouseProcess

BEGAN = datetime(2026, 11, 10, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def judged(release: str, environment: str, days: int, views: int, **values: object) -> Row:
    return {
        "project_id": 7,
        "environment": environment,
        "release": release,
        "built_through": BEGAN + 10 * DAY,
        "first_view_at": BEGAN + days * DAY,
        "view_count": views,
        **values,
    }


def test_a_release_begins_once_in_each_environment_as_the_latest_build_says(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    builder = warehouse.client(Role.BUILD)
    insert(
        builder,
        "errata_mart.release_metrics",
        [
            judged("shop@2", "production", 3, 50),
            judged("shop@2", "staging", 2, 5),
            judged("shop@1", "production", 1, 10, built_through=BEGAN + 5 * DAY),
            # A late page load moved its beginning.
            judged("shop@1", "production", 0, 11),
            judged("shop@0", "production", -5, 9),
            judged("other@1", "production", 2, 9, project_id=8),
        ],
    )
    builder.close()
    assert release_starts(read, 7, BEGAN) == [
        ReleaseStart("shop@1", "production", BEGAN, 11),
        ReleaseStart("shop@2", "staging", BEGAN + 2 * DAY, 5),
        ReleaseStart("shop@2", "production", BEGAN + 3 * DAY, 50),
    ]
    # By its latest build shop@1 began before this.
    assert [start.release for start in release_starts(read, 7, BEGAN + DAY, "production")] == ["shop@2"]
    assert deploys(read, [7], BEGAN) == [(BEGAN, "shop@1"), (BEGAN + 2 * DAY, "shop@2")]
    assert deploys(read, [7, 8], BEGAN, "production") == [
        (BEGAN, "shop@1"),
        (BEGAN + 3 * DAY, "shop@2"),
        (BEGAN + 2 * DAY, "other@1"),
    ]
