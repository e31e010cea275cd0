from datetime import UTC, date, datetime, timedelta

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.shifts import Shifts, one_of_each_finding, shifts
from errata.warehouse.roles import Role
from tests.builders import Row, insert
from tests.processes import WarehouseProcess

BUILT = datetime(2026, 11, 20, 3, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def a_change(page: str, metric: str, day: int, **values: object) -> Row:
    return {
        "project_id": 7,
        "built_through": BUILT,
        "environment": "production",
        "page": page,
        "metric": metric,
        "day": date(2026, 11, day).isoformat(),
        "level_before": 1000,
        "level_after": 1500,
        "change_ratio": 0.5,
        "went_away_on": "1970-01-01",
        "finding": day,
        "release": "",
        "release_at": EPOCH,
        **values,
    }


def found(changes: Shifts) -> list[tuple[str, str, int]]:
    return [(row.page, row.metric, row.day.day) for row in changes.rows]


def test_changes_are_those_of_the_last_build_the_latest_first(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    assert shifts(read, 7, "production") == Shifts([], None)
    builder = warehouse.client(Role.BUILD)
    insert(
        builder,
        "errata_mart.change_points",
        [
            a_change("", "", 1, environment=""),
            a_change("", "load_ms", 5, release="shop@2", release_at=BUILT - timedelta(days=9)),
            a_change("", "lcp_ms", 9),
            a_change("/cart", "load_ms", 7, went_away_on="2026-11-08"),
            a_change("", "load_ms", 6, environment="staging"),
            a_change("", "load_ms", 8, built_through=BUILT - timedelta(days=1)),
            a_change("", "load_ms", 8, project_id=8),
        ],
    )
    everything = shifts(read, 7, "production")
    assert found(everything) == [("", "lcp_ms", 9), ("", "load_ms", 5)] and everything.as_of == BUILT
    assert found(shifts(read, 7, "production", "load_ms")) == [("", "load_ms", 5)]
    assert found(shifts(read, 7, "production", page="/cart")) == [("/cart", "load_ms", 7)]
    each = shifts(read, 7, "production", "load_ms", is_each_page=True)
    assert found(each) == [("/cart", "load_ms", 7), ("", "load_ms", 5)]
    nearest = each.rows[1]
    assert (nearest.release, nearest.release_at) == ("shop@2", BUILT - timedelta(days=9))
    assert (nearest.level_before, nearest.level_after, nearest.change_ratio) == (1000, 1500, 0.5)
    assert each.rows[0].release_at is None
    cart = each.rows[0]
    assert (cart.kind, cart.first_day, cart.last_day, cart.moved_together) == ("step", cart.day, cart.day, 1)
    assert cart.went_away_on == date(2026, 11, 8) and nearest.went_away_on is None
    assert one_of_each_finding([*each.rows, cart]) == each.rows
    # A build that finds none any more says so with a row of its own.
    later = BUILT + timedelta(days=1)
    insert(builder, "errata_mart.change_points", [a_change("", "", 1, environment="", built_through=later)])
    builder.close()
    assert shifts(read, 7, "production") == Shifts([], later)
