"""Builds marts at once: the lag that lets running inserts end is left out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import make_mart
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.builder.mart import BuildReport, Window
from pipelines.builder.receipt_days import spanned
from pipelines.marts.registry import MARTS
from tests.processes import WarehouseProcess

FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=50))


def build_marts(
    warehouse: WarehouseProcess, *names: str, lag: timedelta = FAST.lag
) -> dict[str, BuildReport]:
    """Of everything received until now, less the lag, in the order of MARTS; page loads with what is built
    from them."""
    client, pace = warehouse.client(Role.BUILD), replace(FAST, lag=lag)
    wanted = {*names, *(mart.source for mart in MARTS if mart.name in names and mart.source == "page_loads")}
    reports = {
        mart.name: build(shard, mart, pace)
        for mart in MARTS
        if mart.name in wanted
        for shard in client.shards()
    }
    client.close()
    return reports


def build_page_metrics(warehouse: WarehouseProcess) -> None:
    build_marts(warehouse, "page_metrics_daily")


def build_endpoint_metrics(warehouse: WarehouseProcess) -> None:
    build_marts(warehouse, "endpoint_metrics_daily", "endpoint_metrics_hourly")


def build_performance(warehouse: WarehouseProcess) -> None:
    """All that the performance pages are answered from."""
    build_marts(
        warehouse,
        *("page_metrics_daily", "page_metrics_hourly", "weekly_trends", "resource_metrics_daily"),
        *("endpoint_metrics_daily", "endpoint_metrics_hourly", "page_causes_daily"),
    )


def make_anew(admin: Warehouse, mart: str, *, is_recorded: bool = False) -> None:
    """As migrations make it; unless what builds so far found is to be taken over, all is looked for again."""
    if not is_recorded:
        admin.execute(
            "alter table errata_ops.window_arrivals update search = 'forgotten' where mart = {mart:String} "
            "settings mutations_sync = 1",
            {"mart": mart},
        )
    make_mart(admin, sql.model(mart))


def let_bound_take_hold(warehouse: WarehouseProcess) -> None:
    """As if the builds so far had finished long ago: readers then skip raw rows before their watermark."""
    admin = warehouse.client(Role.ADMIN)
    admin.execute(
        "alter table errata_ops.builds update finished_at = finished_at - interval 2 minute where true "
        "settings mutations_sync = 1"
    )
    admin.close()


def publish(builder: Warehouse, mart: str, *versions: int) -> None:
    """Rows that no build has made, of these versions."""
    told = {"mart": mart, "versions": list(versions)}
    builder.execute(
        "insert into errata_ops.builds (mart, number, partitions.day, partitions.version) "
        "select {mart:String}, 1, {days:Array(Date)}, {versions:Array(UInt64)}",
        {**told, "days": [date(1970, 1, 1)] * len(versions)},
    )


def in_marts(warehouse: WarehouseProcess, marts: Sequence[str]) -> dict[str, str]:
    """As text, in which nan equals nan."""
    admin = warehouse.client(Role.ADMIN)
    found = {
        mart: repr(
            admin.rows(
                f"select * except ('_state$|_through$|^version$') from errata_mart.{mart} order by all"
            )
        )
        for mart in marts
    }
    admin.close()
    return found


def made_anew(
    warehouse: WarehouseProcess, marts: Sequence[str], *, is_recorded: bool = False
) -> dict[str, str]:
    admin = warehouse.client(Role.ADMIN)
    for mart in marts:
        make_anew(admin, mart, is_recorded=is_recorded)
    admin.close()
    assert not any(report.waiting for report in build_marts(warehouse, *marts).values())
    return in_marts(warehouse, marts)


def window_received(start: datetime, moment: datetime, row_count: int) -> Window:
    return Window(start, moment, moment, row_count, spanned(moment, moment))
