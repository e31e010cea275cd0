"""Releases whose true difference is known, through the real warehouse to a verdict."""

from datetime import timedelta
from uuid import UUID

import pytest

from errata.warehouse.builds.release_impact import judge_releases
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.page_loads import RELEASED, Row, deliver, loads
from tests.processes import WarehouseProcess

NOW = timedelta(0)


def effects(warehouse: WarehouseProcess) -> dict[tuple[str, str, str], Row]:
    client = warehouse.client(Role.BUILD)
    rows = client.rows(
        "select * from errata_mart.release_impact where (release, built_through) in "
        "(select release, max(built_through) from errata_mart.release_metrics group by release)"
    )
    client.close()
    return {(row["release"], row["page"], row["metric"]): row for row in rows}


def received_now(rows: list[Row]) -> list[Row]:
    return [{name: value for name, value in row.items() if name != "received_at"} for row in rows]


def test_a_release_that_is_a_fifth_slower_is_worse_by_about_that_and_what_it_did_not_touch_is_not(
    warehouse: WarehouseProcess,
) -> None:
    deliver(
        warehouse,
        loads("shop@1.0", RELEASED - timedelta(days=7), 900),
        loads("shop@1.1", RELEASED, 900, factor=1.2, seed=2),
    )
    builder = warehouse.client(Role.BUILD)
    assert judge_releases(builder, NOW).release_count == 2
    (first, second) = builder.rows("select * from errata_mart.release_metrics order by release")
    assert (first["previous_release"], second["previous_release"]) == ("", "shop@1.0")
    assert (second["verdict"], second["look_hours"], second["view_count"]) == ("worse", 168, 900)
    found = effects(warehouse)
    load, lcp = found["shop@1.1", "", "load_ms"], found["shop@1.1", "", "lcp_ms"]
    assert load["effect_ratio_low"] < 0.2 < load["effect_ratio_high"]
    assert load["effect"] == pytest.approx(load["effect_ratio"] * load["before_p50"])
    assert load["slower_probability"] > 0.999 and load["superiority"] > 0.55
    assert lcp["verdict"] != "worse" and lcp["effect_ratio_low"] < 0 < lcp["effect_ratio_high"]
    assert found["shop@1.1", "/cart", "load_ms"]["q_value"] < 0.05
    assert judge_releases(builder, NOW).release_count == 0
    builder.close()


def test_late_loads_are_compared_by_the_next_build_that_is_due(warehouse: WarehouseProcess) -> None:
    before = RELEASED - timedelta(days=7)
    deliver(warehouse, loads("shop@1.0", before, 200), loads("shop@1.1", RELEASED, 200, seed=2))
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, NOW)
    counted = effects(warehouse)["shop@1.1", "", "load_ms"]["after_count"]
    deliver(warehouse, received_now(loads("shop@1.1", RELEASED, 100, factor=3.0, seed=3)))
    judge_releases(builder, NOW)
    again = effects(warehouse)["shop@1.1", "", "load_ms"]
    assert again["after_count"] > counted and again["effect_ratio"] > 0.2
    builder.close()


def test_other_packages_and_environments_are_not_compared_and_sessions_errors_and_issues_stand_beside(
    warehouse: WarehouseProcess,
) -> None:
    before = RELEASED - timedelta(days=7)
    staging = [row | {"environment": "staging"} for row in loads("shop@1.0-rc", before, 60, seed=5)]
    deliver(warehouse, loads("api@9", before, 60), staging, loads("shop@1.1", RELEASED, 60, seed=2))
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    events = [an_error_event(release="shop@1.1", variant_hash=11) for _ in range(3)]
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=11)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=11, issue_id=111)])
    insert(ingest, "errata_raw.error_events", events)
    states = [("ok", 1), ("crashed", 1), *(("exited", number) for number in range(2, 21))]
    insert(
        ingest,
        "errata_raw.sessions",
        [
            {
                "project_id": 7,
                "release": "shop@1.1",
                "environment": "production",
                "occurred_at": RELEASED,
                "item_id": UUID(int=place + 1),
                "session_id": UUID(int=session),
                "status": status,
                "session_count": 1,
            }
            for copy in (0, 1)
            for place, (status, session) in enumerate(states)
        ],
    )
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals", "issues")
    judge_releases(builder, NOW)
    rows = builder.rows("select * from errata_mart.release_metrics")
    assert {(row["previous_release"], row["verdict"]) for row in rows} == {("", "not_enough_data")}
    (row,) = [row for row in rows if row["release"] == "shop@1.1"]
    assert (row["error_count"], row["new_issues"], row["regressed_issues"]) == (3, [111], [])
    assert (row["session_count"], row["crashed_count"], row["crash_free_ratio"]) == (20, 1, 0.95)
    assert row["crash_free_low"] < 0.95 < row["crash_free_high"]
    ingest.close()
    builder.close()
