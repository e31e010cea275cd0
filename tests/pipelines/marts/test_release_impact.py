"""Releases whose true difference is known, through the real warehouse to a verdict."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from api.ingest.names import OTHER
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import wrong_rows
from pipelines.builder.set_aside import Failure, Reason, set_aside
from pipelines.marts import release_impact
from pipelines.marts.compared_loads import Loads, Pair, compared_loads
from pipelines.marts.release_impact import judge_releases
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.page_loads import RELEASED, Row, deliver, loads
from tests.processes import WarehouseProcess
from tests.sessions_and_errors import sessions

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


@pytest.mark.slow
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
    assert (load["user_count"], load["is_constant"], load["reason"]) == (49, False, "")
    assert 100 < load["independent_count"] <= load["after_count"] and 0 < load["largest_share"] < 0.05
    assert second["moved_mix"] == []
    assert lcp["verdict"] != "worse" and lcp["effect_ratio_low"] < 0 < lcp["effect_ratio_high"]
    assert found["shop@1.1", "/cart", "load_ms"]["q_value"] < 0.05
    assert judge_releases(builder, NOW).release_count == 0
    builder.close()


@pytest.mark.slow
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


@pytest.mark.slow
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
                "user_hash": session % 5 + 1,
                "status": status,
                "session_count": 1,
            }
            for copy in (0, 1)
            for place, (status, session) in enumerate(states)
        ],
    )
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
    judge_releases(builder, NOW)
    rows = builder.rows("select * from errata_mart.release_metrics")
    assert {(row["previous_release"], row["verdict"]) for row in rows} == {("", "not_enough_data")}
    (row,) = [row for row in rows if row["release"] == "shop@1.1"]
    assert (row["error_count"], row["new_issues"], row["regressed_issues"]) == (3, [111], [])
    assert (row["session_count"], row["crashed_count"], row["crash_free_ratio"]) == (20, 1, 0.95)
    assert row["crash_free_low"] < 0.95 < row["crash_free_high"]
    # Session 1 ended in a crash, and the others are of the five users with three or four sessions each.
    assert (row["crash_free_users"], row["independent_sessions"] < 20) == (0.8, True)
    assert row["crash_verdict"] == "not_enough_data"
    ingest.close()
    builder.close()


@pytest.mark.slow
def test_crashes_of_nights_make_no_release_of_a_night_worse(warehouse: WarehouseProcess) -> None:
    week = timedelta(days=7)
    deliver(warehouse, loads("shop@1.0", RELEASED - week, 60), loads("shop@1.1", RELEASED, 60, seed=2))
    # One of five sessions of the night crashes, and no other.
    states = [
        row | {"status": "crashed" if row["occurred_at"].hour < 6 and number % 5 == 0 else "exited"}
        for seed, release, since in ((1, "shop@1.0", RELEASED - week), (2, "shop@1.1", RELEASED))
        for number, row in enumerate(sessions(release, since, 6000, seed, users=6000))
        if release == "shop@1.0" or row["occurred_at"].hour < 6
    ]
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    insert(ingest, "errata_raw.sessions", states)
    judge_releases(builder, NOW)
    (row,) = builder.rows("select * from errata_mart.release_metrics where release = 'shop@1.1'")
    assert row["crash_free_ratio"] == pytest.approx(0.8, abs=0.05)
    assert row["crash_free_change_low"] < 0 < row["crash_free_change_high"]
    assert abs(row["crash_free_change"]) < 0.05 and row["crash_verdict"] == "not_enough_data"
    ingest.close()
    builder.close()


@pytest.mark.slow
def test_a_drift_before_the_release_is_no_verdict_on_it(warehouse: WarehouseProcess) -> None:
    """Loads grow slower by a fifth each week, with any release."""
    names = ["shop@0.9"] * 7 + ["shop@1.0", "shop@1.1"]
    batches = [
        loads(name, RELEASED + timedelta(weeks=number - 8), 300, 1.2**number, seed=number + 1)
        for number, name in enumerate(names)
    ]
    deliver(warehouse, *batches)
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, NOW)
    found = effects(warehouse)["shop@1.1", "", "load_ms"]
    assert (found["verdict"], found["reason"]) == ("not_enough_data", "drift")
    assert found["bound_low"] > 0 and found["effect_ratio"] == pytest.approx(0.2, abs=0.08)
    builder.close()


def stored_releases(warehouse: WarehouseProcess) -> dict[tuple[int, str], str]:
    client = warehouse.client(Role.BUILD)
    rows = client.rows(
        "select project_id, release, verdict from errata_mart.release_metrics order by built_through"
    )
    client.close()
    return {(row["project_id"], row["release"]): row["verdict"] for row in rows}


@pytest.mark.slow
def test_a_release_that_begins_ahead_of_the_clock_costs_no_other_its_verdict(
    warehouse: WarehouseProcess,
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=12)
    deliver(
        warehouse,
        received_now(loads("shop@2.0", ahead, 60, seed=3)),
        received_now(loads("api@2.0", ahead, 1, seed=4)),
        loads("shop@1.0", RELEASED - timedelta(days=7), 200),
        loads("shop@1.1", RELEASED, 200, factor=2.0, seed=2),
    )
    builder = warehouse.client(Role.BUILD)
    assert judge_releases(builder, NOW).release_count == 4
    found = stored_releases(warehouse)
    assert (found[7, "shop@1.1"], found[7, "shop@2.0"]) == ("worse", "not_enough_data")
    assert not standing(builder)
    builder.close()


@pytest.mark.slow
def test_a_release_that_cannot_be_compared_is_set_aside_and_the_others_are_judged(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(
        warehouse,
        loads("shop@1.0", RELEASED - timedelta(days=7), 200),
        loads("shop@1.1", RELEASED, 200, seed=2),
        loads("shop@1.2", RELEASED + timedelta(days=1), 200, seed=3),
        loads("shop@1.0", RELEASED, 60, seed=5, project_id=8),
    )

    def failing(warehouse: Warehouse, pair: Pair) -> Loads | None:
        if pair.after == "shop@1.1":
            raise ValueError("a value that nobody foresaw")
        return compared_loads(warehouse, pair)

    builder, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    monkeypatch.setattr(release_impact, "compared_loads", failing)
    assert judge_releases(builder, NOW).release_count == 3
    (held,) = standing(builder)
    assert (held.mart, held.project_id) == ("release_impact", 7) and "shop@1.1" in held.message
    assert set(stored_releases(warehouse)) == {(7, "shop@1.0"), (7, "shop@1.2"), (8, "shop@1.0")}
    assert wrong_rows(builder, "errata_mart.release_metrics") == 0
    assert judge_releases(builder, NOW).release_count == 0
    monkeypatch.undo()
    admin.execute(
        "alter table errata_ops.set_aside_windows update next_attempt_at = now64(3) where true "
        "settings mutations_sync = 1"
    )
    assert judge_releases(builder, NOW).release_count == 1
    assert (7, "shop@1.1") in stored_releases(warehouse) and not standing(builder)
    builder.close()
    admin.close()


@pytest.mark.slow
def test_a_release_that_is_looked_at_no_more_is_no_longer_set_aside(warehouse: WarehouseProcess) -> None:
    builder, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    deliver(warehouse, loads("shop@1.0", RELEASED, 60))
    # One began at another moment than is known now; of another project no page was loaded lately.
    places = [(7, RELEASED - timedelta(days=1)), (9, RELEASED)]
    failures = [Failure(project_id, Reason.MEMORY, window=moment) for project_id, moment in places]
    set_aside(builder, "release_impact", failures)
    judge_releases(builder, NOW)
    assert len(standing(builder)) == 2
    admin.execute(
        "alter table errata_ops.set_aside_windows update next_attempt_at = now64(3) where true "
        "settings mutations_sync = 1"
    )
    judge_releases(builder, NOW)
    assert standing(builder) == []
    builder.close()
    admin.close()


@pytest.mark.slow
def test_a_project_with_more_releases_than_its_time_says_so_and_goes_on_in_the_next_run(
    warehouse: WarehouseProcess,
) -> None:
    many = [loads(f"shop@1.{number}", RELEASED, 50, seed=number + 10) for number in range(25)]
    deliver(warehouse, [row for one in many for row in one], loads("api@1", RELEASED, 60, project_id=8))
    builder = warehouse.client(Role.BUILD)
    done = judge_releases(builder, NOW, seconds_a_project=0.001)
    assert (done.release_count, done.waiting_count) == (21, 5)
    assert (8, "api@1") in stored_releases(warehouse)
    (held,) = standing(builder)
    assert (held.project_id, held.reason) == (7, "too_many_releases")
    assert held.message.startswith("5 releases wait")
    assert wrong_rows(builder, "errata_mart.release_metrics") == 0
    assert judge_releases(builder, NOW).release_count == 5 and not standing(builder)
    builder.close()


@pytest.mark.slow
def test_releases_that_few_saw_cost_no_statement_each_and_are_told_in_full(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [
        row for number in range(150) for row in loads(f"shop@1.{number}", RELEASED, 1, seed=number + 10)
    ]
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    of_one = next(row for row in before if row["release"] == "shop@1.7" and row["is_load"])
    script = {name: of_one[name] for name in ("project_id", "view_id", "occurred_at", "received_at")}
    script |= {
        "item_id": UUID(int=5),
        "type": "script",
        "url": "https://shop.example/a.js",
        "body_bytes": 700,
    }
    insert(ingest, "errata_raw.page_resources", [script, script])
    deliver(warehouse, before, loads("shop@0.9", RELEASED - timedelta(days=7), 60))
    asked: list[str] = []
    ask = Warehouse.rows

    def counting(self: Warehouse, statement: str, *rest: object, **named: object) -> list[Row]:
        if statement != sql.query("published_versions"):
            asked.append(statement)
        return ask(self, statement, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Warehouse, "rows", counting)
    assert judge_releases(builder, NOW).release_count == 151
    assert len(asked) < 50
    monkeypatch.undo()
    (told,) = builder.rows("select * from errata_mart.release_metrics where release = 'shop@1.7'")
    load_ms = of_one["load_at_ms"] - of_one["started_at_ms"]
    assert (told["view_count"], told["previous_release"], told["verdict"]) == (
        1,
        "shop@0.9",
        "not_enough_data",
    )
    assert told["load_ms_p75"] == pytest.approx(load_ms) and told["js_bytes_p50"] == 700
    assert told["first_view_at"].replace(tzinfo=UTC) == of_one["occurred_at"].replace(
        microsecond=of_one["occurred_at"].microsecond // 1000 * 1000
    )
    ingest.close()
    builder.close()


@pytest.mark.slow
def test_what_is_stored_as_other_is_no_release_to_compare(warehouse: WarehouseProcess) -> None:
    deliver(
        warehouse,
        loads("shop@1.0", RELEASED - timedelta(days=7), 60),
        loads(OTHER, RELEASED - timedelta(days=3), 60, seed=2),
        loads("shop@1.1", RELEASED, 60, seed=3),
    )
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, NOW)
    told = builder.rows("select release, previous_release from errata_mart.release_metrics order by release")
    assert [(row["release"], row["previous_release"]) for row in told] == [
        ("shop@1.0", ""),
        ("shop@1.1", "shop@1.0"),
    ]
    builder.close()
