"""Releases whose true difference is known, through the real warehouse to a verdict."""

from datetime import timedelta

import pytest

from errata.warehouse.builds.release_impact import judge_releases
from errata.warehouse.roles import Role
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
