"""What is refused at present, by the hosts that met it."""

from datetime import UTC, datetime, timedelta

from errata.warehouse.queries.delivery.problems import delivery_problems
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC).replace(hour=12, minute=50, second=0, microsecond=0) - timedelta(days=1)


def refused(host: str, minutes_ago: int, count: int) -> dict[str, object]:
    received_at = f"{NOW - timedelta(minutes=minutes_ago):%Y-%m-%d %H:%M:%S}.000"
    told = {"project_id": 7, "service": "", "item_type": "delivery", "outcome": "rate_limited"}
    return {
        **told,
        "host": host,
        "batch_id": f"{host}-{minutes_ago}",
        "item_count": count,
        "received_at": received_at,
    }


def test_what_nobody_is_known_to_have_met_is_told_beside_a_host_of_earlier(
    warehouse: WarehouseProcess,
) -> None:
    read = warehouse.client(Role.READ)
    store(warehouse, {"errata_raw.outcomes": [refused("web-1", 30, 3), refused("", 5, 4)]})
    found = delivery_problems(read, [7], NOW)
    assert [host for host, _ in found.refused] == [""]
    store(warehouse, {"errata_raw.outcomes": [refused("web-2", 4, 5)]})
    found = delivery_problems(read, [7], NOW)
    assert [(host, one.refused_count) for host, one in found.refused] == [("web-2", 5)]
    read.close()
