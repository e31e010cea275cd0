"""What came in since a build, added to what was built, equals what the next build counts."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from api.ingest.item import Rows
from errata.warehouse.queries import performance
from errata.warehouse.queries.page_views_now import PageViewsNow
from errata.warehouse.queries.performance import Filters, PageRow
from errata.warehouse.roles import Role
from tests.mart_builds import build_page_metrics, let_bound_take_hold
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store


def a_part(number: int, at: datetime, item: int, **columns: Any) -> Rows:
    row = {
        "project_id": 1,
        "view_id": number,
        "trace_id": str(UUID(int=number // 3 + 1)),
        "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.000",
        "item_id": str(UUID(int=item)),
        "started_at_ms": at.timestamp() * 1000,
    }
    return {"errata_raw.page_views": [row | columns]}


def a_view(chance: random.Random, number: int, now: datetime) -> list[Rows]:
    """Its load, of the last ten days, and later parts, one of which names its trace alone."""
    at = now - timedelta(minutes=chance.randrange(10 * 1440))
    kind = {"navigation_type": "navigate", "page": chance.choice(("/", "/cart"))}
    load_at_ms = at.timestamp() * 1000 + chance.randrange(300, 3000)
    return [
        a_part(number, at, 10 * number, is_load=True, load_at_ms=load_at_ms, **kind),
        a_part(number, at + timedelta(seconds=2), 10 * number + 1, lcp_ms=float(chance.randrange(9000))),
        a_part(0, at + timedelta(seconds=5), 10 * number + 2, inp_ms=float(chance.randrange(500))) | {},
    ]


def with_trace_of(view: list[Rows]) -> list[Rows]:
    trace = view[0]["errata_raw.page_views"][0]["trace_id"]
    view[2]["errata_raw.page_views"][0]["trace_id"] = trace
    return view


def test_figures_are_the_same_before_and_after_the_build_of_what_came_late_twice_or_in_parts(
    warehouse: WarehouseProcess,
) -> None:
    now, chance = datetime.now(UTC), random.Random(4)
    client, filters = warehouse.client(Role.READ), Filters([1], "14d", now)
    views = [with_trace_of(a_view(chance, number, now)) for number in range(1, 91)]

    def asked() -> list[PageRow]:
        return performance.pages(client, filters).rows

    old, new = views[:50], views[50:]
    store(warehouse, *[part for view in old for part in view])
    # Parts that come before the load they belong to.
    store(warehouse, *[part for view in new[:20] for part in view[1:]])
    build_page_metrics(warehouse)
    let_bound_take_hold(warehouse)
    arriving = [part for view in new for part in view] + [view[0] for view in old[::3]]
    chance.shuffle(arriving)
    for start in range(0, len(arriving), 40):
        store(warehouse, *arriving[start : start + 40])
        asked()
    before = asked()
    assert sum(row.view_count for row in before) == len(views)
    build_page_metrics(warehouse)
    assert asked() == before
    client.close()


def test_all_questions_of_one_answer_are_of_one_moment(warehouse: WarehouseProcess) -> None:
    now, chance = datetime.now(UTC), random.Random(5)
    client, filters = warehouse.client(Role.READ), Filters([1], "14d", now)
    store(warehouse, *a_view(chance, 1, now))
    build_page_metrics(warehouse)
    let_bound_take_hold(warehouse)
    store(warehouse, *a_view(chance, 2, now))

    def counted(seen: PageViewsNow) -> list[int]:
        pages, together = performance.pages_and_overview(client, filters, seen)
        weeks = performance.trend(client, replace(filters, period="4w"), now=seen).rows
        return [sum(row.view_count for row in rows) for rows in (pages.rows, together, weeks)]

    earlier = PageViewsNow(client, filters.projects)
    assert counted(earlier) == [2, 2, 2]
    store(warehouse, *a_view(chance, 3, now))
    assert counted(earlier) == [2, 2, 2]
    assert counted(PageViewsNow(client, filters.projects)) == [3, 3, 3]
    client.close()
