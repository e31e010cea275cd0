"""A changed model: what was built counts until the next build, which builds everything anew."""

from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.forecast import forecasts, told
from errata.warehouse.migrations import create_marts, planned
from errata.warehouse.roles import Role
from errata.warehouse.sql import SqlFile
from errata.warehouse.table_shape import Shape, alterations, shape_of
from pipelines.builder.build import build
from pipelines.marts.registry import VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.cases import each
from tests.mart_builds import FAST, build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

OF_ISSUES = ("variant_totals", "issue_totals", "issues")
MARTS = ("variant_hourly", "variant_daily")
TABLE = "errata_mart.variant_hourly"
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
COUNTED = "select sum(event_count) as count from errata_mart.{mart}"


def deliver(warehouse: WarehouseProcess, *moments: datetime) -> None:
    events = [an_error_event(occurred_at=moment, received_at=datetime.now(UTC)) for moment in moments]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)


def change_models(admin: Warehouse) -> None:
    """As if another version had made and built the marts."""
    for mart in MARTS:
        admin.execute(
            "insert into errata_ops.mart_models (mart, file_hash) values ({mart:String}, 'another')",
            {"mart": f"errata_mart.{mart}"},
        )
    admin.execute(
        "alter table errata_ops.builds update model_hash = 'another' where true settings mutations_sync = 1"
    )


def counted(warehouse: Warehouse) -> list[int]:
    return [warehouse.rows(COUNTED.format(mart=mart))[0]["count"] for mart in MARTS]


def test_rows_count_until_they_are_built_anew(warehouse: WarehouseProcess) -> None:
    deliver(warehouse, TODAY - timedelta(days=3), TODAY - timedelta(days=1), TODAY)
    build_marts(warehouse, *MARTS)
    admin, builder = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    before, uuid = shape_of(admin, TABLE), uuid_of(admin)
    # The model of that version had one column more, and lacked another.
    admin.execute(f"alter table {TABLE} add column former UInt8 after hour, drop column event_count")
    change_models(admin)
    create_marts(admin)
    assert (shape_of(admin, TABLE), uuid_of(admin)) == (before, uuid)
    rows = builder.rows("select count() as count from errata_mart.variant_hourly")
    assert rows == [{"count": 3}] and counted(builder)[1] == 3

    # Everything is built anew, with what came in meanwhile.
    deliver(warehouse, TODAY)
    for mart in (VARIANT_HOURLY, VARIANT_DAILY):
        assert len(build(builder, mart, FAST).windows) == 3
    assert counted(builder) == [4, 4]
    for mart in (VARIANT_HOURLY, VARIANT_DAILY):
        assert build(builder, mart, FAST).windows == []
    admin.close()
    builder.close()


@pytest.mark.slow
def test_totals_that_carry_on_from_themselves_are_built_anew(warehouse: WarehouseProcess) -> None:
    deliver(warehouse, TODAY - timedelta(days=3), TODAY)
    insert(warehouse.client(Role.INGEST), "errata_raw.variants", [a_variant()])
    insert(warehouse.client(Role.INGEST), "errata_raw.variant_issues", [a_mapping()])
    build_marts(warehouse, *MARTS_OF_ISSUES)
    admin, builder = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    # As if their models had counted otherwise. Nothing came in since.
    for mart in OF_ISSUES:
        admin.execute(
            f"alter table errata_mart.{mart} update event_count = 77 where true settings mutations_sync = 1"
        )
    admin.execute(
        "alter table errata_ops.builds update model_hash = 'another' where mart in {marts:Array(String)}"
        " settings mutations_sync = 1",
        {"marts": list(OF_ISSUES)},
    )
    build_marts(warehouse, *MARTS_OF_ISSUES)
    for mart in OF_ISSUES:
        most = f"select max(event_count) as count from errata_mart.{mart}"
        assert builder.rows(most) == [{"count": 2}], mart
    admin.close()
    builder.close()


def test_a_mart_has_changed_if_one_that_it_is_built_from_has(monkeypatch: pytest.MonkeyPatch) -> None:
    marts = [file.path.stem for file in sql.models()]
    before = {mart: sql.model_hash(mart) for mart in marts}
    changed = "errata_mart.variant_daily"
    known = SqlFile.__dict__["content_hash"].fget
    monkeypatch.setattr(
        SqlFile, "content_hash", property(lambda file: "x" if file.name == changed else known(file))
    )
    sql.model_hash.cache_clear()
    after = {mart: sql.model_hash(mart) for mart in marts}
    sql.model_hash.cache_clear()
    assert {mart for mart in marts if before[mart] != after[mart]} == {
        "variant_daily",
        "variant_releases",
        "variant_totals",
        "issue_totals",
        "issues",
    }


@pytest.mark.slow
def test_days_that_raw_no_longer_has_stay(warehouse: WarehouseProcess) -> None:
    deliver(warehouse, TODAY - timedelta(days=3), TODAY)
    build_marts(warehouse, *MARTS)
    admin, builder = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    # As if the rows had been received, and their windows recorded, before raw retention.
    admin.execute(
        "alter table errata_ops.window_arrivals update"
        " first_received_at = first_received_at - interval 200 day"
        " where window_start < today() - 1 settings mutations_sync = 1"
    )
    admin.execute(
        "alter table errata_raw.error_events delete where occurred_at < today() - 1"
        " settings mutations_sync = 1"
    )
    change_models(admin)
    create_marts(admin)
    build_marts(warehouse, *MARTS)
    assert counted(builder) == [2, 2]
    admin.close()
    builder.close()


def test_a_plan_foretells_the_builds(warehouse: WarehouseProcess) -> None:
    deliver(warehouse, TODAY - timedelta(days=3), TODAY)
    build_marts(warehouse, *MARTS)
    admin = warehouse.client(Role.ADMIN)
    change_models(admin)
    plan = planned(admin)
    found = {one.mart: one for one in forecasts(admin, plan)}
    assert {"variant_hourly", "variant_daily"} <= found.keys()
    hourly = found["variant_hourly"]
    assert (hourly.row_count, hourly.byte_count > 0) == (2, True)
    assert hourly.seconds is not None and 0 < hourly.seconds < 60
    lines = list(told(plan.marts, list(found.values())))
    assert any(line.startswith(f"rebuild {TABLE}: 2 rows, ") for line in lines)
    assert lines[-1].startswith("in total, builds take about ")
    create_marts(admin)
    admin.close()


def uuid_of(warehouse: Warehouse) -> object:
    return warehouse.rows(sql.build_statement("uuid_of_mart"), {"mart": "variant_hourly"})


def a_shape(*columns: str, keys: str = "day") -> Shape:
    return Shape((keys,), tuple((name, "UInt64", "", "") for name in columns))


def test_columns_are_added_in_their_places_and_dropped() -> None:
    assert alterations(a_shape("a", "b", "x"), a_shape("new", "a", "c", "b")) == [
        "drop column x",
        "add column new UInt64 first",
        "add column c UInt64 after a",
    ]
    assert alterations(a_shape("a"), a_shape("a")) == []


@each(
    "wanted", [a_shape("b", "a"), a_shape("a", "b", keys="hour"), Shape(("day",), (("a", "String", "", ""),))]
)
def test_other_keys_types_and_orders_need_another_table(wanted: Shape) -> None:
    assert alterations(a_shape("a", "b"), wanted) is None
