"""Errors of releases whose true rates are known, through the real warehouse to a verdict."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from errata.warehouse.roles import Role
from pipelines.builder.data_checks import wrong_rows
from pipelines.marts import release_errors
from pipelines.marts.release_impact import judge_releases
from tests.builders import insert
from tests.mart_builds import build_marts
from tests.page_loads import RELEASED, Row, deliver, loads
from tests.processes import WarehouseProcess
from tests.sessions_and_errors import USERS, errors, sessions

NOW = timedelta(0)
WEEK = timedelta(days=7)


def judged(warehouse: WarehouseProcess, states: Sequence[Row], events: Sequence[Row]) -> Row:
    """The row of the later of two releases with as many page loads, after one build."""
    deliver(warehouse, loads("shop@1.0", RELEASED - WEEK, 200), loads("shop@1.1", RELEASED, 200, seed=2))
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    if states:
        insert(ingest, "errata_raw.sessions", list(states))
    insert(ingest, "errata_raw.error_events", list(events))
    judge_releases(builder, NOW)
    (row,) = builder.rows("select * from errata_mart.release_metrics where release = 'shop@1.1'")
    assert wrong_rows(builder, "errata_mart.release_metrics") == 0
    ingest.close()
    builder.close()
    return row


@pytest.mark.slow
def test_twice_the_errors_a_session_are_worse_beside_an_unchanged_load_time(
    warehouse: WarehouseProcess,
) -> None:
    began = RELEASED + timedelta(hours=1)
    before, after = (
        errors("shop@1.0", RELEASED - WEEK, [number % USERS + 1 for number in range(100)], 3),
        errors("shop@1.1", began, [number % USERS + 1 for number in range(200)], 4),
    )
    states = [
        *sessions("shop@1.0", RELEASED - WEEK, 1500, 1),
        *sessions("shop@1.1", began, 1500, 2),
    ]
    # Delivered twice, and counted once.
    row = judged(warehouse, states + states, [*before, *after, *before, *after])
    assert row["verdict"] != "worse"
    assert (row["error_rate_unit"], row["error_verdict"], row["error_reason"]) == ("session", "worse", "")
    assert row["error_rate"] == pytest.approx(0.133, abs=0.005)
    assert row["error_rate_before"] == pytest.approx(0.067, abs=0.005)
    assert 1 < row["error_ratio_low"] < 2 < row["error_ratio_high"] < 4
    assert 180 < row["compared_errors"] <= 200 and row["error_largest_share"] < 0.05


@pytest.mark.slow
def test_errors_are_counted_per_page_load_where_no_sessions_are_sent(warehouse: WarehouseProcess) -> None:
    began = RELEASED + timedelta(hours=1)
    row = judged(
        warehouse,
        [],
        [
            *errors("shop@1.0", RELEASED - WEEK, [number % 49 + 1 for number in range(50)], 3),
            *errors("shop@1.1", began, [number % 49 + 1 for number in range(60)], 4),
        ],
    )
    assert (row["error_rate_unit"], row["error_verdict"]) == ("load", "not_enough_data")
    assert row["error_rate_before"] == pytest.approx(0.25, abs=0.02)
    assert row["error_ratio_low"] < 1.2 < row["error_ratio_high"]


@pytest.mark.slow
def test_a_doubling_is_found_beside_a_crash_loop_of_one_user(warehouse: WarehouseProcess) -> None:
    began = RELEASED + timedelta(hours=1)
    users = [number % USERS + 1 for number in range(200)]
    row = judged(
        warehouse,
        [*sessions("shop@1.0", RELEASED - WEEK, 1500, 1), *sessions("shop@1.1", began, 1500, 2)],
        [
            *errors("shop@1.0", RELEASED - WEEK, users[:90], 3),
            *errors("shop@1.1", began, users, 4),
            *(one | {"occurred_at": began} for one in errors("shop@1.1", began, [7] * 1000, 5)),
        ],
    )
    # Of user 7 one in these six hours.
    assert 195 <= row["compared_errors"] <= 201 and row["error_largest_share"] < 0.05
    assert row["error_verdict"] == "worse" and 1.5 < row["error_ratio"] < 3


@pytest.mark.slow
def test_errors_that_grew_before_the_release_are_no_verdict_on_it(warehouse: WarehouseProcess) -> None:
    """Each week has half as many more, with any release."""
    weeks = [RELEASED + number * WEEK for number in range(-8, 1)]
    names = ["shop@0.9"] * 7 + ["shop@1.0", "shop@1.1"]
    deliver(
        warehouse,
        *(loads(*one, 250, seed=seed) for seed, one in enumerate(zip(names, weeks, strict=True), 1)),
    )
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    for number, (name, week) in enumerate(zip(names, weeks, strict=True)):
        users = [user % USERS + 1 for user in range(round(16 * 1.5**number))]
        insert(ingest, "errata_raw.error_events", errors(name, week, users, 30 + number))
    build_marts(warehouse, "variant_hourly", "variant_daily")
    judge_releases(builder, NOW)
    (row,) = builder.rows("select * from errata_mart.release_metrics where release = 'shop@1.1'")
    assert row["error_ratio_low"] > 1.1 and row["error_ratio"] == pytest.approx(1.5, rel=0.2)
    assert (row["error_verdict"], row["error_reason"]) == ("not_enough_data", "drift")
    ingest.close()
    builder.close()


@pytest.mark.slow
def test_of_a_busy_site_a_sample_of_users_is_compared(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_errors, "EXPOSURES_A_SIDE", 600)
    users = [number % USERS + 1 for number in range(600)]
    began = RELEASED + timedelta(hours=1)
    row = judged(
        warehouse,
        [*sessions("shop@1.0", RELEASED - WEEK, 1500, 1), *sessions("shop@1.1", began, 1500, 2)],
        [*errors("shop@1.0", RELEASED - WEEK, users, 3), *errors("shop@1.1", began, users, 4)],
    )
    # Of two in five users, with their sessions and errors of both releases.
    assert 160 < row["compared_errors"] < 320 and 160 < row["compared_errors_before"] < 320
    assert row["error_rate"] == pytest.approx(0.4, abs=0.06)
    assert row["error_ratio_low"] < 1 < row["error_ratio_high"]


@pytest.mark.slow
def test_visitors_whom_nobody_knows_count_as_one_for_each_kind_of_client(warehouse: WarehouseProcess) -> None:
    began = RELEASED + timedelta(hours=1)
    row = judged(
        warehouse,
        [*sessions("shop@1.0", RELEASED - WEEK, 900, 1, 0), *sessions("shop@1.1", began, 900, 2, 0)],
        [*errors("shop@1.0", RELEASED - WEEK, [0] * 50, 3), *errors("shop@1.1", began, [0] * 200, 4)],
    )
    assert row["error_ratio"] == pytest.approx(4, rel=0.2)
    assert (row["error_verdict"], row["error_reason"]) == ("not_enough_data", "few_users")
    assert row["error_largest_share"] == 0
