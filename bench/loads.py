"""Weeks of page views: what builds cost, and what people wait for while more arrive.

`python -m bench.loads --folder DIR` makes the page views where the folder has none (as `bench.visits` does),
builds their marts, and asks a real service over HTTP. `--only first_build`, `rebuild`, `refresh` or `pages`
measures a part.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count, islice
from pathlib import Path

from bench.crowd.making import say
from bench.figures import figure
from bench.issues import Asking, timed
from bench.visits.making import Making, captured_lines, deliver
from bench.visits.plan import Plan
from errata.warehouse import sql
from errata.warehouse.migrations import make_mart
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.builder.mart import Mart
from pipelines.marts.registry import MARTS
from tests.service import Service, running

NAMES = (
    *("page_loads", "page_metrics_daily", "endpoint_metrics_daily", "resource_metrics_daily"),
    *("page_metrics_hourly", "endpoint_metrics_hourly", "page_causes_daily", "weekly_trends"),
)
PARTS = ("first_build", "rebuild", "refresh", "pages")
FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=50))
FIVE_MINUTES = timedelta(minutes=5)
BUILDS = 3
SECONDS_AFTER_A_BUILD = 30
LATE_DAYS = 10
LATE_VIEWS = 20
LINES_A_SECOND = 12
"""Of captured browsers: about three page views with their parts."""
FORGET_ARRIVALS = """
    alter table errata_ops.window_arrivals delete where mart = {mart:String} settings mutations_sync = 1
"""
ROWS = """
    select
        (select count() from errata_raw.page_views) + (select count() from errata_raw.page_resources)
        + (select count() from errata_raw.requests) as row_count
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.loads")
    parser.add_argument("--folder", type=Path, help="kept; default: one of its own, with few page views")
    parser.add_argument("--times", type=int, default=20, help="how often each question is asked")
    parser.add_argument("--memory", type=int, default=2 << 30, help="bytes the warehouse may use")
    parser.add_argument("--newest-days", type=int, help="of a folder that is not complete")
    parser.add_argument("--only", choices=PARTS, help="one part of it")
    parser.add_argument("--marts", choices=NAMES, nargs="+", default=NAMES, help="what is built")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = chosen.folder or Path(made)
        plan = Plan.of(folder, 200_000, 2, 10.0, 1)
        with running("--no-pipelines", "--memory", str(chosen.memory), directory=folder / "data") as service:
            making = Making(service, plan)
            making.run(chosen.newest_days)
            marts = [mart for mart in MARTS if mart.name in chosen.marts]
            bench = Bench(service, making, chosen.times, marts)
            for part in [chosen.only] if chosen.only else PARTS:
                getattr(bench, part)()


@dataclass(frozen=True)
class Taken:
    """`waiting_count`: windows left to later builds."""

    seconds: float
    cpu: float
    waiting_count: int


@dataclass
class Bench:
    service: Service
    making: Making
    times: int
    marts: Sequence[Mart]

    def first_build(self) -> None:
        """Each mart from nothing, of all that raw holds, as where nothing was ever built."""
        for mart in self.marts:
            self.making.admin.execute(FORGET_ARRIVALS, {"mart": mart.name})
        self._built_anew("first_build")

    def rebuild(self) -> None:
        """Each mart from nothing, of all that raw holds, as after its model changed."""
        self._build_all()
        self._built_anew("rebuild")

    def _built_anew(self, name: str) -> None:
        rows = self._row_count()
        seconds = cpu = 0.0
        for mart in self.marts:
            make_mart(self.making.admin, sql.model(mart.name))
            taken = self._built(mart, name, rows=rows)
            seconds, cpu = seconds + taken.seconds, cpu + taken.cpu
        figure(
            f"loads_{name}_together",
            rows / seconds,
            "rows/s",
            rows=rows,
            seconds=round(seconds),
            cpu_s=round(cpu),
        )

    def refresh(self) -> None:
        """Five minutes of new page views: as a day ends, on both sides of midnight, with late ones, and what
        follows until no late day waits any more."""
        self._build_all()
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        # Of a day that is complete: as at the end of today.
        full = midnight - timedelta(minutes=5)
        for name, begins in {"23:55": [full - FIVE_MINUTES], "00:05": [midnight - FIVE_MINUTES / 2]}.items():
            self._refreshed(name, begins)
        late = [midnight - timedelta(days=ago, hours=6) for ago in range(2, LATE_DAYS + 2)]
        taken = [self._refreshed("23:55 and late ones of ten days", [full - FIVE_MINUTES], late)]
        while taken[-1].waiting_count:
            taken.append(self._refreshed(f"23:55, {len(taken)} after the late ones", [full - FIVE_MINUTES]))
        figure(
            "loads_refreshes_until_no_late_day_waits",
            sum(one.seconds for one in taken),
            "s",
            refreshes=len(taken),
            cpu_s=round(sum(one.cpu for one in taken), 1),
            cpu_s_each=[round(one.cpu, 1) for one in taken],
        )

    def pages(self) -> None:
        """While page views arrive, five minutes at most after a build."""
        self._build_all()
        asking = Asking(self.service)
        slug = self.service.credentials["project"]
        html, rest = f"/projects/{slug}/performance", f"/api/projects/{slug}/performance"
        view = asking.get(f"{rest}/loads?page=/checkout").json()["loads"][0]
        received_on = view["received_at"][:10]
        waterfall = f"/api/page-views/{view['view_id']}/waterfall"
        trace = view["trace_id"]
        asked = {
            "pages_html": html,
            "page_detail_html": f"{html}/page?page=/checkout",
            "resources_html": f"{html}/resources",
            "endpoints_html": f"{html}?tab=endpoints",
            "trends_html": f"{html}/trends",
            "budgets_html": f"{html}/budgets",
            "releases_html": f"{html}/releases",
            "recommendations_html": f"{html}/recommendations",
            "pages": f"{rest}/pages",
            "endpoints": f"{rest}/endpoints",
            "resources_by_type": f"{rest}/resources?by=type",
            "resources_by_url": f"{rest}/resources?by=url",
            "trends": f"{rest}/trends?period=26w",
            "loads_of_a_page": f"{rest}/loads?page=/checkout",
            "causes_of_a_page": f"{rest}/causes?page=/checkout&period=26w",
            "causes_of_a_page_on_mobile": f"{rest}/causes?page=/checkout&period=26w&device=mobile",
            "waterfall": f"{waterfall}?received_on={received_on}&trace_id={trace}",
            "waterfall_of_day": f"{waterfall}?received_on={received_on}",
            "waterfall_html": f"{html}/waterfall/{view['view_id']}?on={received_on}&trace={trace}",
        }
        with self._flowing():
            for name, path in asked.items():
                began = time.perf_counter()
                asking.get(path)
                first_ms = round((time.perf_counter() - began) * 1000)
                timed(self.service, name, partial(asking.get, path), self.times, first_ms=first_ms)
            self._after_builds(asking, asked)
        parts = {name: round(size / 1e6) for name, size in self.service.pss_bytes().items()}
        figure("loads_memory_pss", sum(parts.values()), "MB", parts=parts)

    def _after_builds(self, asking: Asking, asked: Mapping[str, str]) -> None:
        """The longest anybody waits in the seconds after a build, of those who asked shortly before it."""
        took = defaultdict[str, list[float]](list)
        before = self.service.cpu_seconds()["warehouse"]
        for _ in range(BUILDS):
            self._build_all()
            until = time.monotonic() + SECONDS_AFTER_A_BUILD
            while time.monotonic() < until:
                for name, path in asked.items():
                    began = time.perf_counter()
                    asking.get(path)
                    took[name].append((time.perf_counter() - began) * 1000)
                time.sleep(1)
        cpu = self.service.cpu_seconds()["warehouse"] - before
        for name, each in took.items():
            p50 = statistics.median(each)
            figure(f"loads_{name}_after_a_build", max(each), "ms", p50=round(p50), times=len(each))
        figure("loads_cpu_of_a_build_with_readers", cpu / BUILDS, "s")

    def _refreshed(self, name: str, begins: Sequence[datetime], late: Sequence[datetime] = ()) -> Taken:
        now = datetime.now(UTC)
        seed = now.microsecond
        views = round(self.making.plan.views / self.making.plan.weeks / 7 / 288)
        told = [(begin, FIVE_MINUTES, views) for begin in begins]
        told += [(begin, timedelta(hours=1), LATE_VIEWS) for begin in late]
        for number, (begin, span, view_count) in enumerate(told):
            self.making.visits(
                begin,
                span,
                view_count,
                day_number=number,
                received_from=now,
                received_until=now,
                seed=seed,
            )
        self._let_merges_end()
        each = [self._built(mart, "refresh", of=name, views=views) for mart in self.marts]
        taken = Taken(
            sum(one.seconds for one in each),
            sum(one.cpu for one in each),
            sum(one.waiting_count for one in each),
        )
        figure("loads_refresh_together", taken.seconds, "s", of=name, views=views, cpu_s=round(taken.cpu, 1))
        return taken

    def _let_merges_end(self) -> None:
        """What inserts cost later is not the refresh's."""
        while self.making.admin.rows("select count() as merges from system.merges")[0]["merges"]:
            time.sleep(0.2)

    def _build_all(self) -> None:
        for mart in self.marts:
            report = build(self.service.warehouse(Role.BUILD, 3600), mart, FAST)
            say(f"{mart.name}: {len(report.windows)} windows, {report.seconds:.1f} s")

    def _built(self, mart: Mart, name: str, **facts: object) -> Taken:
        before = self.service.cpu_seconds()["warehouse"]
        report = build(self.service.warehouse(Role.BUILD, 24 * 3600), mart, FAST)
        cpu = self.service.cpu_seconds()["warehouse"] - before
        told = {
            "windows": len(report.windows),
            "waiting": len(report.waiting),
            "cpu_s": round(cpu, 2),
            "mart_rows": report.row_count,
        }
        figure(f"loads_{name}_{mart.name}", report.seconds, "s", **told, **facts)
        return Taken(report.seconds, cpu, len(report.waiting))

    def _row_count(self) -> int:
        return int(self.making.admin.rows(ROWS)[0]["row_count"])

    @contextmanager
    def _flowing(self) -> Iterator[None]:
        """Page views arrive meanwhile, through the API."""
        ending = threading.Event()

        def flow() -> None:
            for number in count():
                lines = captured_lines(datetime.now(UTC), f"{time.time_ns()}-{number}")
                while batch := list(islice(lines, LINES_A_SECOND)):
                    if ending.wait(1):
                        return
                    deliver(self.service, batch)

        thread = threading.Thread(target=flow, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join(10)


if __name__ == "__main__":
    main()
