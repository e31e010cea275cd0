"""Files fetched again by who had them: loads built for it, and the captured shop, which caches well."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.ingest.item import Rows
from errata.performance.filters import Filters
from errata.period import Period
from errata.recommendations.recommendation import Rule
from errata.recommendations.recommended import recommended
from errata.warehouse.queries.performance.refetched import RefetchedFile, refetched_files
from errata.warehouse.roles import Role
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
EVERYTHING = Filters([1], Period("7d"), NOW)
SHOP = "https://shop.example"


def a_visit(user: int, place: int, *files: dict[str, Any], is_cold: bool = False, **view: Any) -> Rows:
    """The user's loads are ten minutes from each other; each takes the logo from the cache but the first."""
    is_cold = is_cold or place == 0
    number = user * 100 + place
    at = NOW - timedelta(hours=5) + timedelta(minutes=10 * place)
    start_us = int(at.timestamp() * 1e6)
    moment = f"{at:%Y-%m-%d %H:%M:%S}.000"
    shared = {"project_id": 1, "view_id": number, "occurred_at": moment}
    logo = {"url": f"{SHOP}/logo.svg", "is_cached": not is_cold, "transfer_bytes": 5300 if is_cold else 0}
    return {
        "errata_raw.page_views": [
            shared
            | {
                "item_id": f"{number:032x}",
                "is_load": True,
                "navigation_type": "navigate",
                "page": "/",
                "url": f"{SHOP}/",
                "user_hash": user,
                "device": "desktop",
                "browser": "Chrome",
                "started_at_ms": start_us / 1000,
            }
            | view
        ],
        "errata_raw.page_resources": [
            shared
            | {
                "item_id": f"{number:016x}{order:016x}",
                "type": "script",
                "initiator": "script",
                "start_us": start_us + order,
                "duration_ms": 30,
                "body_bytes": 5000,
                "decoded_bytes": 9000,
            }
            | file
            for order, file in enumerate([logo, *files], 1)
        ],
    }


def found(warehouse: WarehouseProcess, fewest: int = 1, filters: Filters = EVERYTHING) -> list[RefetchedFile]:
    build_performance(warehouse)
    client = warehouse.client(Role.READ)
    files = refetched_files(client, filters, 0, fewest).files
    client.close()
    return files


@pytest.mark.slow
def test_a_file_fetched_at_each_visit_is_told_with_its_visitors_and_one_load(
    warehouse: WarehouseProcess,
) -> None:
    script = {"url": f"{SHOP}/app.js", "body_bytes": 40_000, "transfer_bytes": 40_300}
    visits = [a_visit(user, place, script) for user in range(1, 9) for place in range(4)]
    store(warehouse, *visits, *visits[:9])
    build_performance(warehouse)
    client = warehouse.client(Role.READ)
    (told,) = [each for each in recommended(client, EVERYTHING).rows if each.rule is Rule.UNCACHED]
    client.close()
    assert (told.subject, told.load_count, told.user_count, told.saved_bytes) == (
        script["url"],
        24,
        8,
        40_300,
    )
    assert "24 of 24 repeated loads" in told.evidence and "10 min" in told.evidence
    assert told.example is not None and int(told.example.view_id, 16) % 100 == 3


@pytest.mark.slow
def test_only_whole_files_that_the_same_browser_had_count(warehouse: WarehouseProcess) -> None:
    whole = {"body_bytes": 40_000, "transfer_bytes": 40_300}
    asked_after = {"url": f"{SHOP}/304.js", "body_bytes": 40_000, "transfer_bytes": 300}
    untold = {"url": "https://x.test/a.js", "body_bytes": 0, "decoded_bytes": 0, "transfer_bytes": 0}
    for user in range(1, 6):
        changed = [{"url": f"{SHOP}/app.js", "body_bytes": n, "transfer_bytes": n} for n in (4000, 5000)]
        store(
            warehouse,
            a_visit(user, 0, changed[0], asked_after | {"transfer_bytes": 40_300}, untold),
            a_visit(user, 1, changed[1], asked_after, untold),
            # Another browser, a cache that was just cleared, and nobody that is known.
            a_visit(user, 2, {"url": f"{SHOP}/b.js", **whole}),
            a_visit(user, 3, {"url": f"{SHOP}/b.js", **whole}, browser="Firefox"),
            a_visit(user + 50, 0, {"url": f"{SHOP}/c.js", **whole}),
            a_visit(user + 50, 1, is_cold=True),
            a_visit(user + 50, 2, {"url": f"{SHOP}/c.js", **whole}),
            a_visit(user + 80, 1, {"url": f"{SHOP}/d.js", **whole}, user_hash=0),
            a_visit(user + 80, 2, {"url": f"{SHOP}/d.js", **whole}, user_hash=0),
        )
    assert found(warehouse) == []


@pytest.mark.slow
def test_what_the_cache_mostly_spares_is_not_told(warehouse: WarehouseProcess) -> None:
    visits = []
    for user in range(1, 6):
        for place in range(5):
            is_cached = place not in (0, user % 5)
            sent = {"is_cached": is_cached, "transfer_bytes": 0 if is_cached else 40_300}
            visits.append(a_visit(user, place, {"url": f"{SHOP}/app.js", "body_bytes": 40_000} | sent))
    store(warehouse, *visits)
    assert found(warehouse) == []
    path = {"url": "/own.js", "body_bytes": 40_000, "transfer_bytes": 40_300}
    store(warehouse, a_visit(7, 0, path), a_visit(7, 1, path | {"url": f"{SHOP}/own.js"}))
    (own,) = found(warehouse)
    assert (own.url, own.load_count, own.user_count, own.gap_ms) == (f"{SHOP}/own.js", 1, 1, 600_000)
    assert found(warehouse, filters=Filters([1], Period("7d"), NOW, device="mobile")) == []
