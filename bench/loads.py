"""Page loads and what they load, weeks of them: builds of the mart, waterfalls, the questions of a page.

python -m bench loads        WEEKS=26 VIEWS_A_DAY=4000 RESOURCES_A_VIEW=12 by environment
"""

import os
import random
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.figures import figure
from bench.service import Service, running
from errata.warehouse.builds.build import build
from errata.warehouse.builds.lease import Pace
from errata.warehouse.builds.marts import MARTS
from errata.warehouse.queries import page_detail, performance, resources
from errata.warehouse.queries.performance import Filters, Percentiles
from errata.warehouse.queries.waterfall import waterfall
from errata.warehouse.roles import Role

WEEKS = int(os.environ.get("WEEKS", "26"))
VIEWS_A_DAY = int(os.environ.get("VIEWS_A_DAY", "4000"))
RESOURCES_A_VIEW = int(os.environ.get("RESOURCES_A_VIEW", "12"))
HEAVY_DAY_VIEWS = int(os.environ.get("HEAVY_DAY_VIEWS", "100000"))
PROJECT = 1
PAGE = "/page/7"
FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=50))
MART = next(mart for mart in MARTS if mart.name == "resource_metrics_daily")

# A view's id is its number, hashed; received five seconds later, or now.
VIEWS = """
    insert into errata_raw.page_views
    (
        project_id, view_id, occurred_at, received_at, item_id, is_load, trace_id, navigation_type, page,
        url, environment, release, browser, os, device, sdk, started_at_ms, load_at_ms, dom_ready_at_ms,
        ttfb_ms, fcp_ms, lcp_ms, cls
    )
    with {day:DateTime64(3, 'UTC')} as day, {span_ms:UInt64} as span_ms, {count:UInt64} as views
    select
        {project:UInt32},
        cityHash64({salt:String}, number),
        day + toIntervalMillisecond(intDiv(number * span_ms, views)) as at,
        if({is_late:Bool}, now64(3), at + toIntervalSecond(5)),
        reinterpretAsUUID(sipHash128({salt:String}, 'v', number)),
        1,
        reinterpretAsUUID(sipHash128({salt:String}, 't', number)),
        'navigate',
        concat('/page/', toString(number % 30)),
        concat('https://shop.example/page/', toString(number % 30)),
        ['production', 'staging'][1 + (number % 10 = 0)],
        concat('shop@', toString(number % 3)),
        'Chrome',
        'Linux',
        ['desktop', 'mobile'][1 + number % 2],
        'sentry.javascript.browser 11',
        toUnixTimestamp64Milli(at) as started,
        started + 500 + 400 * randExponential(1),
        started + 400,
        80 + number % 50,
        300 + number % 200,
        600 + number % 400,
        0.02
    from numbers(views)
"""
# Every other view also loads a picture that few share.
RESOURCES = """
    insert into errata_raw.page_resources
    (
        project_id, view_id, occurred_at, received_at, item_id, type, initiator, url, host, start_us,
        duration_ms, transfer_bytes, body_bytes, decoded_bytes, is_render_blocking, is_cached, status_code
    )
    with {day:DateTime64(3, 'UTC')} as day, {span_ms:UInt64} as span_ms, {count:UInt64} as views
    select
        {project:UInt32},
        cityHash64({salt:String}, view),
        day + toIntervalMillisecond(intDiv(view * span_ms, views)) as at,
        if({is_late:Bool}, now64(3), at + toIntervalSecond(5)),
        reinterpretAsUUID(sipHash128({salt:String}, 'r', number)),
        ['script', 'style', 'image', 'font', 'api'][1 + place % 5],
        'link',
        if(
            place = 2 and view % 2 = 0,
            concat('https://cdn.example/photo/', toString(view % 5000), '.webp'),
            concat('https://cdn.example/', toString(place), '-', toString(view % 3), '.js')
        ),
        'cdn.example',
        toUnixTimestamp64Micro(at) + place * 20000,
        round(20 + 60 * randExponential(1), 3),
        20000,
        20000,
        70000,
        place < 2,
        view % 3 = 0,
        200
    from (
        select
            number,
            intDiv(number, {per_view:UInt64}) as view,
            number % {per_view:UInt64} as place
        from numbers({count:UInt64} * {per_view:UInt64})
    )
"""


def main() -> None:
    with running("--no-pipelines") as service:
        Bench(service).run()


class Bench:
    def __init__(self, service: Service) -> None:
        self.service = service
        self.admin, self.builder, self.read = (
            service.warehouse(role, timeout_seconds=3600) for role in (Role.ADMIN, Role.BUILD, Role.READ)
        )
        self.today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.views = WEEKS * 7 * VIEWS_A_DAY
        self.facts = {"weeks": WEEKS, "views": self.views, "resources": self.views * RESOURCES_A_VIEW}

    def run(self) -> None:
        started = time.monotonic()
        for days_ago in range(WEEKS * 7, 0, -1):
            self.fill(self.today - timedelta(days=days_ago), VIEWS_A_DAY, f"day-{days_ago}")
        figure("load_rows_prepared", time.monotonic() - started, "s", **self.facts)
        self.built("resource_rebuild", self.views)
        now = datetime.now(UTC)
        for number in range(3):
            self.fill(now - timedelta(minutes=5), 100, f"new-{number}", timedelta(minutes=4), is_late=True)
            self.built("resource_refresh_of_five_minutes", 100)
        self.waterfalls()
        filters = Filters([PROJECT], "14d", now)
        near = Percentiles(700, 1000, 1700)
        self.asked("resources_of_14_days", lambda: resources.breakdown(self.read, filters))
        self.asked("resources_of_a_page", lambda: resources.breakdown(self.read, filters, PAGE))
        self.asked("figures_of_a_page", lambda: performance.page_rows(self.read, filters, PAGE))
        self.asked("loads_of_a_page", lambda: page_detail.loads_of_page(self.read, filters, PAGE, near))
        self.asked("shares_of_a_page", lambda: page_detail.shares(self.read, filters, PAGE))
        self.fill(self.today - timedelta(days=2), HEAVY_DAY_VIEWS, "heavy", is_late=True)
        self.built("resource_build_of_a_heavy_day", HEAVY_DAY_VIEWS + VIEWS_A_DAY)

    def fill(
        self,
        day: datetime,
        count: int,
        salt: str,
        span: timedelta = timedelta(days=1),
        *,
        is_late: bool = False,
    ) -> None:
        told = {
            "project": PROJECT,
            "salt": salt,
            "day": day,
            "count": count,
            "span_ms": round(span.total_seconds() * 1000),
            "is_late": is_late,
        }
        self.admin.execute(VIEWS, told)
        self.admin.execute(RESOURCES, {**told, "per_view": RESOURCES_A_VIEW})

    def built(self, name: str, views: int) -> None:
        before = self.cpu()
        report = build(self.builder, MART, FAST)
        rows = views * (RESOURCES_A_VIEW + 1)
        facts = {"rows_a_second": round(rows / report.seconds), "windows": len(report.windows)}
        figure(name, report.seconds, "s", cpu_s=round(self.cpu() - before, 2), rows=rows, **facts)

    def waterfalls(self) -> None:
        chosen = random.Random(3)
        views = [(chosen.randrange(1, min(29, WEEKS * 7)), chosen.randrange(VIEWS_A_DAY)) for _ in range(100)]
        told = [
            (self.id_of(f"day-{days_ago}", number), (self.today - timedelta(days=days_ago)).date())
            for days_ago, number in views
        ]
        asked = iter(told)
        self.asked("waterfall", lambda: waterfall(self.read, [PROJECT], *next(asked)), len(told))

    def id_of(self, salt: str, number: int) -> str:
        named = "select lower(hex(cityHash64({salt:String}, {number:UInt64}))) as id"
        (row,) = self.read.rows(named, {"salt": salt, "number": number})
        return str(row["id"])

    def asked(self, name: str, question: Callable[[], Any], tries: int = 30) -> None:
        taken, before = [], self.cpu()
        for _ in range(tries):
            began = time.perf_counter()
            question()
            taken.append((time.perf_counter() - began) * 1000)
        cpu_ms = (self.cpu() - before) / tries * 1000
        told = {"p50": round(statistics.median(taken), 1), "cpu_ms": round(cpu_ms, 1)}
        figure(f"{name}_p95", statistics.quantiles(taken, n=20)[-1], "ms", **told, **self.facts)

    def cpu(self) -> float:
        """Of the warehouse and of this process: a busy machine makes it no larger."""
        return self.service.cpu_seconds()["warehouse"] + time.process_time()


if __name__ == "__main__":
    main()
