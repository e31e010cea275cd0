"""Builds a mart from its model at a moment of the test's choosing, without the builder and its lag."""

from datetime import UTC, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def build(warehouse: WarehouseProcess, mart: str, dirty: str, days: int = 1) -> datetime:
    """Everything received until now; the moment it is built through."""
    client = warehouse.client(Role.BUILD)
    watermark: datetime = client.rows("select now64(3, 'UTC') as now")[0]["now"].replace(tzinfo=UTC)
    model = sql.parse(sql.DIRECTORY / "models" / f"{mart}.sql").statements[1]
    windows = client.rows(sql.query(dirty), {"since": EPOCH, "until": watermark, "oldest": EPOCH})
    for window in windows:
        start = window["window_start"].replace(tzinfo=UTC)
        parameters = {
            "windows": [start],
            "window_start": start,
            "window_end": start + timedelta(days=days),
            "received_from": window["first_received_at"].replace(tzinfo=UTC),
            "received_to": min(
                window["last_received_at"].replace(tzinfo=UTC) + timedelta(milliseconds=1), watermark
            ),
            "watermark": watermark,
        }
        client.execute(f"alter table errata_mart.{mart} drop partition '{start:%Y-%m-%d}'")
        client.execute(f"insert into errata_mart.{mart} {model}", parameters)
    client.close()
    return watermark


def build_page_metrics(warehouse: WarehouseProcess) -> datetime:
    return build(warehouse, "page_metrics_daily", "dirty_days_of_page_views")


def build_endpoint_metrics(warehouse: WarehouseProcess) -> datetime:
    return build(warehouse, "endpoint_metrics_daily", "dirty_days_of_requests")
