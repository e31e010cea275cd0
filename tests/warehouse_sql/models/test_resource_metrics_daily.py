"""What pages load, against a recount in Python: whatever is built, late or repeated."""

import itertools
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

import numpy as np
import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from dashboards.performance.resource_tables import URL_SORTS
from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import resources
from errata.warehouse.queries.performance.resources import ALL, Choice, ResourceRow
from errata.warehouse.roles import Role
from tests.captures import browser_items, moved_to
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
READ = ("resource_metrics_daily", "page_loads")
"""What the questions read."""
OTHERS = "(other)"


def captured() -> list[Rows]:
    """Of one generation that streams spans, and one that sends transactions."""
    return [
        rows_of(item, NOW)
        for generation in ("v11", "v9")
        for item in browser_items(generation, moved_to(NOW), ("transaction", "span"))
    ]


def delivered_first(batches: Iterable[Rows]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Loads by view, and resources by item."""
    views: dict[str, dict[str, Any]] = {}
    loaded: dict[str, dict[str, Any]] = {}
    for rows in batches:
        for row in rows.get("errata_raw.page_views", []):
            if row.get("is_load"):
                views.setdefault(row["view_id"], row)
        for row in rows.get("errata_raw.page_resources", []):
            loaded.setdefault(row["item_id"], row)
    return views, loaded


def recounted(batches: Iterable[Rows], by: list[str], **view: str) -> dict[tuple[str, ...], dict[str, Any]]:
    views, loaded = delivered_first(batches)
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in loaded.values():
        own = views.get(row["view_id"])
        wanted = {"navigation_type": "navigate", **view}
        if own is not None and all(own.get(name, "") == value for name, value in wanted.items()):
            groups.setdefault(tuple(row[name] for name in by), []).append(row | {"delay": delay(row, own)})
    return {
        key: {
            "views": len({row["view_id"] for row in rows}),
            "loads": len(rows),
            "cached": sum(row["is_cached"] for row in rows),
            "sized": sum(row["body_bytes"] > 0 or row["decoded_bytes"] > 0 for row in rows),
            "blocking": sum(row["is_render_blocking"] for row in rows),
            "errors": sum(row["status_code"] >= 400 for row in rows),
            "duration_ms": [row["duration_ms"] for row in rows],
            **{
                name: sum(row[name] for row in rows)
                for name in ("transfer_bytes", "body_bytes", "decoded_bytes", "delay")
            },
        }
        for key, rows in groups.items()
    }


def delay(row: dict[str, Any], view: dict[str, Any]) -> float:
    """How long a blocking resource was loading before the first contentful paint."""
    if not row["is_render_blocking"]:
        return 0.0
    start = row["start_us"] / 1000
    painted = view["started_at_ms"] + view["fcp_ms"] if "fcp_ms" in view else float("inf")
    return max(0.0, float(min(start + row["duration_ms"], painted) - start))


def check(rows: list[ResourceRow], expected: dict[tuple[str, ...], dict[str, Any]], by: list[str]) -> None:
    found = {tuple(getattr(row, name) for name in by): row for row in rows}
    assert set(found) == set(expected)
    for key, row in found.items():
        own = expected[key]
        counts = (row.view_count, row.resource_count, row.cached_count, row.sized_count, row.blocking_count)
        assert counts == tuple(own[name] for name in ("views", "loads", "cached", "sized", "blocking")), key
        assert row.error_count == own["errors"]
        assert row.transfer_bytes == own["transfer_bytes"]
        sized = own["sized"] or 1
        assert (row.body_bytes or 0) == pytest.approx(own["body_bytes"] / sized)
        assert (row.decoded_bytes or 0) == pytest.approx(own["decoded_bytes"] / sized)
        assert (row.delay_ms or 0) == pytest.approx(own["delay"] / (own["blocking"] or 1), abs=0.01)
        assert list(row.duration_ms) == pytest.approx(
            list(np.percentile(own["duration_ms"], [50, 75, 95])), abs=1e-6
        )
        assert row.avg_ms == pytest.approx(np.mean(own["duration_ms"]))


@pytest.mark.slow
def test_types_and_urls_equal_a_recount_whatever_is_built_late_and_repeated(
    warehouse: WarehouseProcess,
) -> None:
    batches = captured()
    random.Random(5).shuffle(batches)
    early, late = batches[: len(batches) // 2], batches[len(batches) // 2 :]
    client = warehouse.client(Role.READ)
    everything = Filters([1], Period("14d"), NOW)

    def agree(delivered: list[Rows], filters: Filters = everything, **view: str) -> None:
        page = view.get("page", "")
        told = resources.breakdown(client, filters, page, Choice(urls=ALL))
        check(told.types, recounted(delivered, ["type"], **view), ["type"])
        by = ["type", "url", "host"]
        check(told.urls, recounted(delivered, by, **view), by)

    store(warehouse, *early)
    build_marts(warehouse, *READ)
    agree(early)
    store(warehouse, *late, *early)
    build_marts(warehouse, *READ)
    store(warehouse, *batches)
    agree(batches)
    build_marts(warehouse, *READ)
    agree(batches, page="/checkout")
    agree(batches, Filters([1], Period("14d"), NOW, device="mobile"), device="mobile")
    agree(
        batches,
        Filters([1], Period("14d"), NOW, device="desktop", browser="Chrome"),
        device="desktop",
        browser="Chrome",
    )
    agree(batches, Filters([1], Period("24h"), NOW), page="/")
    assert resources.by_type(client, Filters([2], Period("14d"), NOW)).rows == []
    for filters in (everything, Filters([1], Period("24h"), NOW, device="desktop")):
        assert_in_order(client, filters)
    client.close()


def assert_in_order(client: Warehouse, filters: Filters) -> None:
    """The first ones by every column are those of all rows sorted here; unknown values come last."""
    every = resources.by_url(client, filters).rows
    assert len(every) > 10
    for sort, is_descending in itertools.product(URL_SORTS, (True, False)):
        told = resources.breakdown(client, filters, "", Choice(5, 3, "", sort, is_descending))
        known = [(value, row) for row in every if (value := value_of(row, sort)) is not None]
        known.sort(key=itemgetter(0), reverse=is_descending)
        assert told.urls == [row for _, row in known[:5]], (sort, is_descending)
        assert told.url_count == len(every)
        held = [row for row in every if row.delay_ms is not None]
        assert told.blocking == sorted(held, key=lambda row: -(row.delay_ms or 0))[:3]
    scripts = resources.breakdown(client, filters, "", Choice(2, type="script"))
    assert [row.type for row in scripts.urls] == ["script", "script"]
    assert scripts.url_count == sum(row.type == "script" for row in every)
    assert scripts.types == resources.by_type(client, filters).rows


def value_of(row: ResourceRow, sort: str) -> float | str | None:
    found: float | str | None = row.duration_ms.p75 if sort == "duration_ms" else getattr(row, sort)
    return found


def a_view(number: int, at: datetime, urls: list[str]) -> Rows:
    started = int(at.timestamp() * 1000)
    moment = f"{at:%Y-%m-%d %H:%M:%S}.000"
    view = {
        "project_id": 1,
        "view_id": number,
        "occurred_at": moment,
        "item_id": f"{number:032x}",
        "is_load": True,
        "navigation_type": "navigate",
        "page": "/",
        "started_at_ms": started,
    }
    loaded = [
        {
            "project_id": 1,
            "view_id": number,
            "occurred_at": moment,
            "item_id": f"{number:016x}{place:016x}",
            "type": "image",
            "url": url,
            "host": "cdn.example",
            "start_us": started * 1000,
            "duration_ms": 10 + place,
            "body_bytes": 1000,
            "decoded_bytes": 2000,
        }
        for place, url in enumerate(urls, 1)
    ]
    return {"errata_raw.page_views": [view], "errata_raw.page_resources": loaded}


@pytest.mark.slow
def test_urls_beyond_the_hundred_most_loaded_of_a_page_share_a_row(warehouse: WarehouseProcess) -> None:
    at = NOW - timedelta(minutes=5)
    # The logo is everywhere; each view also has 20 pictures that no other has.
    views = [a_view(n, at, ["/logo.png", *(f"/photo/{n}-{i}.webp" for i in range(20))]) for n in range(1, 31)]
    store(warehouse, *views)
    client = warehouse.client(Role.READ)
    for _ in range(2):
        build_marts(warehouse, *READ)
        rows = {row.url: row for row in resources.by_url(client, Filters([1], Period("7d"), NOW)).rows}
        assert len(rows) == 101
        assert (rows["/logo.png"].view_count, rows["/logo.png"].resource_count) == (30, 30)
        assert rows[OTHERS].resource_count == 600 - 99
        # Places are given by URL where counts are equal: the views of what is left are counted once each.
        named = {url for url in rows if url.startswith("/photo/")}
        left = {n for n in range(1, 31) if any(f"/photo/{n}-{i}.webp" not in named for i in range(20))}
        assert rows[OTHERS].view_count == len(left)
        (whole,) = resources.by_type(client, Filters([1], Period("7d"), NOW)).rows
        assert (whole.view_count, whole.resource_count, whole.per_view) == (30, 630, 21)
        assert whole.bytes_per_view == 21_000
    for is_descending in (True, False):
        choice = Choice(urls=101, sort="resource_count", is_descending=is_descending)
        assert resources.breakdown(client, Filters([1], Period("7d"), NOW), "", choice).urls[-1].url == OTHERS
    client.close()


@pytest.mark.slow
def test_a_resource_waits_two_days_for_its_view(warehouse: WarehouseProcess) -> None:
    view = a_view(1, NOW, ["/a.png"])
    only_view = {"errata_raw.page_views": view["errata_raw.page_views"]}
    only_resource = {"errata_raw.page_resources": view["errata_raw.page_resources"]}
    client = warehouse.client(Role.READ)
    filters = Filters([1], Period("7d"), NOW)
    store(warehouse, only_resource)
    assert resources.by_type(client, filters).rows == []
    build_marts(warehouse, *READ)
    assert resources.by_type(client, filters).rows == []
    store(warehouse, only_view)
    build_marts(warehouse, *READ)
    assert resources.by_type(client, filters).rows[0].resource_count == 1
    late = {**view["errata_raw.page_resources"][0], "item_id": f"{77:032x}", "url": "/b.png"}
    stale = (datetime.now(UTC) + timedelta(days=2, minutes=1)).strftime("%Y-%m-%d %H:%M:%S")
    store(warehouse, {"errata_raw.page_resources": [{**late, "received_at": stale}]})
    build_marts(warehouse, *READ)
    assert resources.by_type(client, filters).rows[0].resource_count == 1
    store(warehouse, {"errata_raw.page_resources": [late]})
    build_marts(warehouse, *READ)
    assert resources.by_type(client, filters).rows[0].resource_count == 2
    client.close()
