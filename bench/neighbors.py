"""What a project whose every page load and error is another costs, and what its neighbor notices of it.

`--only costs` builds everything of the distinct lines and of as many ordinary ones; `--only neighbor` sends
the distinct ones to a service with its schedules while another project's pages are asked for; `--only
analysts` asks for pages while analysts' statements take all that they may, and while none runs.
"""

import argparse
import copy
import gzip
import json
import random
import resource
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any
from uuid import UUID

import urllib3
from backports import zstd

from bench.crowd.making import say
from bench.crowd.originals import changed, originals
from bench.events import DATA, batches
from bench.figures import figure
from bench.issues import Asking
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.by_project import SECONDS_A_PROJECT
from pipelines.builder.lease import Pace
from pipelines.marts.change_points import find_change_points
from pipelines.marts.registry import MARTS
from pipelines.marts.regrouping_proposals import propose
from pipelines.marts.release_impact import judge_releases
from pipelines.marts.similar_issues import compare
from tests.service import Service, running

LINES = 20_000
NEIGHBOR_LINES = 500
LINES_A_DELIVERY = 500
PARTS = ("costs", "neighbor", "analysts")
AT_ONCE = timedelta(0)
FAST = Pace(lag=AT_ONCE, settle=timedelta(milliseconds=50))
SETTINGS = {"ERRATA_API_LINES_PER_MINUTE": "10000000"}
UNBOUNDED = {f"ERRATA_API_{name}_PER_DAY": "100000" for name in ("NAMES", "RELEASES", "TAG_KEYS")}
# Two schedules of five minutes, and what a build takes.
WATCHED_SECONDS = 11 * 60
BETWEEN_SECONDS = 1.0
# Before anything is sent: what the machine gives by itself.
QUIET_SECONDS = 60
ANALYSTS = 12
ROUNDS, ASKED_A_ROUND = 3, 15
# Of processor time, of sorting, of a large group by and of a join: each would take minutes.
HEAVY = (
    "select sum(cityHash64(a.page, b.page, c.metric)) from page_hours a, page_hours b, page_hours c",
    "select cityHash64(number) as key from numbers(1000000000) order by key desc limit 1000000, 1",
    "select count() from (select cityHash64(number) as key, max(key) from numbers(1000000000) group by key)",
    "select uniqExact(cityHash64(l.number)) from numbers(300000000) l join numbers(2000000) r using (number)",
    "select countIf(match(concat(page, toString(number)), '(a|b|c)+[0-9]{3,}x')) from page_hours, "
    "numbers(10000000)",
    "select quantileExact(0.9)(sipHash64(number) % 1000) from numbers(3000000000)",
)
AGES = """
    select mart, dateDiff('millisecond', max(watermark), now64(3)) / 1000 as age
    from errata_ops.builds
    group by mart
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.neighbors")
    parser.add_argument("--lines", type=int, default=LINES, help="page loads, and as many errors")
    parser.add_argument("--seconds", type=int, default=WATCHED_SECONDS, help="how long the neighbor asks")
    parser.add_argument("--only", choices=PARTS, help="one part of it")
    parser.add_argument("--unbounded", action="store_true", help="without the bounds of names a day")
    chosen = parser.parse_args()
    settings = {**SETTINGS, **(UNBOUNDED if chosen.unbounded else {})}
    if chosen.only in (None, "costs"):
        costs(chosen.lines, settings)
    if chosen.only in (None, "neighbor"):
        neighbor(chosen.lines, chosen.seconds, settings)
    if chosen.only in (None, "analysts"):
        analysts(chosen.lines, settings)


def lines(count: int, *, is_distinct: bool) -> Iterator[bytes]:
    """Page loads and errors; distinct ones have page names, releases and functions of their own."""
    return chain(page_loads(count, is_distinct=is_distinct), errors(count, is_distinct=is_distinct))


def errors(count: int, *, is_distinct: bool) -> Iterator[bytes]:
    """Of captured programs; distinct ones are raised in functions of their own."""
    chance, now, captured = random.Random(1), datetime.now(UTC), originals()
    for number in range(count):
        event = captured[number % len(captured)]
        moment = (now - timedelta(seconds=chance.uniform(60, 1800))).isoformat()
        told = {"event_id": UUID(int=chance.getrandbits(128), version=4).hex, "timestamp": moment}
        payload = {**(changed(event, number) if is_distinct else event), **told}
        yield json.dumps({"type": "event", "logged_at": moment, "payload": payload}).encode() + b"\n"


def page_loads(count: int, *, is_distinct: bool) -> Iterator[bytes]:
    """Of a captured browser, without its spans, within the last half hour."""
    chance, now, original = random.Random(2), datetime.now(UTC).timestamp(), _captured()
    for number in range(count):
        load = copy.deepcopy(original)
        begins = now - chance.uniform(60, 1800)
        took = original["timestamp"] - original["start_timestamp"]
        load |= {
            "event_id": UUID(int=chance.getrandbits(128), version=4).hex,
            "start_timestamp": begins,
            "timestamp": begins + took,
        }
        ids = {"trace_id": f"{chance.getrandbits(128):032x}", "span_id": f"{chance.getrandbits(64):016x}"}
        load["contexts"]["trace"] |= ids
        load["contexts"]["trace"]["data"]["performance.timeOrigin"] = begins
        if is_distinct:
            load |= {"transaction": f"/shop/{_word(number)}", "release": f"shop@1.0.{number}"}
        logged_at = datetime.fromtimestamp(begins + took, UTC).isoformat()
        yield json.dumps({"type": "transaction", "logged_at": logged_at, "payload": load}).encode() + b"\n"


def _word(number: int) -> str:
    """In syllables: what looks like an id is cut out of names."""
    syllables = ""
    for _ in range(4):
        number, place = divmod(number, 100)
        syllables += "bcdfghjklmnpqrstvwxz"[place // 5] + "aeiou"[place % 5]
    return syllables


def _captured() -> dict[str, Any]:
    with gzip.open(DATA / "browser" / "envelopes_v9.jsonl.gz", "rt") as found:
        loads = [
            item["payload"]
            for envelope in map(json.loads, found)
            for item in envelope["items"]
            if item.get("payload", {}).get("contexts", {}).get("trace", {}).get("op") == "pageload"
        ]
    return {**min(loads, key=lambda load: len(load["spans"])), "spans": [], "breadcrumbs": []}


@dataclass(frozen=True)
class Taken:
    seconds: float
    cpu: float


def costs(count: int, settings: Mapping[str, str]) -> None:
    """Of everything that is built of the lines, in two services of their own."""
    taken = {}
    for name, is_distinct in (("ordinary", False), ("distinct", True)):
        with running("--no-pipelines", settings=settings) as service:
            send(service, service.credentials, packed(lines(count, is_distinct=is_distinct)))
            taken[name] = built(service, name, 2 * count)
    for what in ("seconds", "cpu"):
        ordinary, distinct = (getattr(taken[name], what) for name in ("ordinary", "distinct"))
        figure(
            f"neighbors_distinct_over_ordinary_{what}",
            distinct / ordinary,
            "times",
            ordinary=round(ordinary, 1),
            distinct=round(distinct, 1),
        )


def built(service: Service, of: str, line_count: int) -> Taken:
    warehouse = service.warehouse(Role.BUILD, 3600)
    parts = {mart.name: _timed(service, lambda mart=mart: build(warehouse, mart, FAST)) for mart in MARTS}
    parts |= {
        "similar_issues": _timed(service, lambda: compare(warehouse, AT_ONCE)),
        "regrouping_proposals": _timed(service, lambda: list(propose(warehouse))),
        "release_metrics": _timed(service, lambda: judge_releases(warehouse, AT_ONCE)),
        "change_points": _timed(service, lambda: find_change_points(warehouse, AT_ONCE)),
    }
    for name, one in parts.items():
        figure(f"neighbors_build_{name}", one.seconds, "s", of=of, lines=line_count, cpu_s=round(one.cpu, 2))
    whole = Taken(sum(one.seconds for one in parts.values()), sum(one.cpu for one in parts.values()))
    held = [f"{one.mart} of {one.project_id}: {one.message}" for one in standing(warehouse)]
    figure(
        "neighbors_build_together",
        whole.seconds,
        "s",
        of=of,
        lines=line_count,
        cpu_s=round(whole.cpu, 1),
        set_aside=held,
        seconds_a_project=SECONDS_A_PROJECT,
    )
    warehouse.close()
    return whole


def _timed(service: Service, do: Any) -> Taken:
    before, began = _cpu(service), time.monotonic()
    do()
    return Taken(time.monotonic() - began, _cpu(service) - before)


def _cpu(service: Service) -> float:
    """Of the warehouse, and of the functions that make marts here."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return service.cpu_seconds()["warehouse"] + own.ru_utime + own.ru_stime


def neighbor(count: int, seconds: float, settings: Mapping[str, str]) -> None:
    """Pages of a project while another one sends its distinct lines, and while all of it is built."""
    with running(settings=settings) as service:
        asking = Asking(service)
        keys = _neighbor_of(service)
        send(service, keys, packed(lines(NEIGHBOR_LINES, is_distinct=False)))
        _wait_for_builds(service)
        # Before anything is timed: whoever asks for pages must not wait for lines made in the same process.
        bodies = packed(lines(count, is_distinct=True))
        ended = threading.Event()
        samples = Samples()
        watching = threading.Thread(target=samples.gather, args=(service, asking, keys, ended), daemon=True)
        watching.start()
        time.sleep(QUIET_SECONDS)
        samples.sent_from = len(samples.page_ms)
        began = time.monotonic()
        send(service, service.credentials, bodies)
        sent_in = time.monotonic() - began
        say(f"{2 * count} distinct lines sent in {sent_in:.0f} s")
        samples.sent_after = len(samples.page_ms)
        time.sleep(max(0.0, seconds - sent_in))
        ended.set()
        watching.join(120)
        samples.report(2 * count, sent_in)
        with_held = service.warehouse(Role.BUILD)
        held = [f"{one.mart} of {one.project_id}: {one.message}" for one in standing(with_held)]
        figure("neighbors_set_aside", len(held), "projects", held=held)
        with_held.close()


def analysts(count: int, settings: Mapping[str, str]) -> None:
    """Pages with and without statements of analysts, in alternation."""
    with running("--no-pipelines", settings=settings) as service:
        send(service, service.credentials, packed(lines(count, is_distinct=False)))
        warehouse = service.warehouse(Role.BUILD, 3600)
        for mart in MARTS:
            build(warehouse, mart, FAST)
        warehouse.close()
        asking, project = Asking(service), f"/projects/{service.credentials['project']}"
        pages = {"issues": f"{project}/issues", "performance": f"{project}/performance"}
        taken: dict[tuple[str, int], list[float]] = {
            (page, number): [] for page in pages for number in (0, ANALYSTS)
        }
        answers: Counter[str] = Counter()
        for path in pages.values():
            asking.get(path)
        for _ in range(ROUNDS):
            for number in (0, ANALYSTS):
                with _heavy_statements(service, number, answers):
                    for page, path in (*pages.items(),) * ASKED_A_ROUND:
                        began = time.perf_counter()
                        asking.get(path)
                        taken[page, number].append((time.perf_counter() - began) * 1000)
                        time.sleep(0.05)
        for page in pages:
            alone, among = (_p95(taken[page, number]) for number in (0, ANALYSTS))
            figure(
                "neighbors_pages_p95_among_analysts",
                among,
                "ms",
                page=page,
                alone=round(alone, 1),
                times=round(among / alone, 2),
                worst=round(max(taken[page, ANALYSTS])),
                statements=ANALYSTS,
                answers=dict(answers),
            )


@contextmanager
def _heavy_statements(service: Service, count: int, answers: Counter[str]) -> Iterator[None]:
    """As many people ask all the time; whoever is refused asks again."""
    ended = threading.Event()

    def ask(statement: str) -> None:
        warehouse = service.warehouse(Role.ANALYST, 90)
        while not ended.is_set():
            try:
                warehouse.rows(statement)
                answers["answered"] += 1
            except (QueryFailed, WarehouseUnavailable) as error:
                answers[str(getattr(error, "clickhouse_code", type(error).__name__))] += 1
                ended.wait(1)
        warehouse.close()

    asking = [threading.Thread(target=ask, args=(HEAVY[one % len(HEAVY)],)) for one in range(count)]
    for one in asking:
        one.start()
    time.sleep(2 if count else 0)
    yield
    ended.set()
    admin = service.warehouse(Role.ADMIN)
    while any(one.is_alive() for one in asking):
        admin.execute(f"kill query where user = '{Role.ANALYST}' async")
        time.sleep(0.1)
    admin.close()


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]


class Samples:
    """What the neighbor sees, second by second."""

    def __init__(self) -> None:
        self.page_ms: list[float] = []
        self.sent_from = self.sent_after = 0
        self.ages: dict[str, list[float]] = {}
        self.pipelines_bytes: list[int] = []

    def gather(
        self, service: Service, asking: Asking, keys: Mapping[str, str], ended: threading.Event
    ) -> None:
        warehouse = service.warehouse(Role.BUILD)
        path = f"/projects/{keys['project']}/performance"
        asking.get(path)
        while not ended.wait(BETWEEN_SECONDS):
            began = time.perf_counter()
            asking.get(path)
            self.page_ms.append((time.perf_counter() - began) * 1000)
            if len(self.page_ms) % 10 == 0:
                for mart, age in _ages(warehouse).items():
                    self.ages.setdefault(mart, []).append(age)
                self.pipelines_bytes.append(service.pss_bytes().get("pipelines", 0))
        warehouse.close()

    def report(self, line_count: int, sent_in: float) -> None:
        spans = {
            "quiet": self.page_ms[: self.sent_from],
            "sending": self.page_ms[self.sent_from : self.sent_after],
            "building": self.page_ms[self.sent_after :],
        }
        for name, values in spans.items():
            if len(values) > 1:
                figure(
                    "neighbors_pages_p95",
                    _p95(values),
                    "ms",
                    while_=name,
                    p50=round(statistics.median(values), 1),
                    worst=round(max(values), 1),
                    asked=len(values),
                    lines=line_count,
                    sent_in_s=round(sent_in, 1),
                )
        of_python = {"similar_issues", "release_metrics"}
        # Made once a day.
        of_sql = self.ages.keys() - of_python - {"change_points"}
        for name, marts in (("sql", of_sql), ("python", self.ages.keys() & of_python)):
            oldest = {mart: round(max(self.ages[mart])) for mart in sorted(marts)}
            figure("neighbors_oldest_mart", max(oldest.values(), default=0), "s", made_by=name, marts=oldest)
        sizes = [size / 1e6 for size in self.pipelines_bytes] or [0.0]
        figure(
            "neighbors_pipelines_pss",
            max(sizes),
            "MB",
            between_runs=round(min(sizes)),
            median=round(statistics.median(sizes)),
        )


def _ages(warehouse: Warehouse) -> dict[str, float]:
    return {row["mart"]: float(row["age"]) for row in warehouse.rows(AGES)}


def _wait_for_builds(service: Service) -> None:
    """Until both schedules have run once."""
    warehouse = service.warehouse(Role.BUILD)
    known = {mart.name for mart in MARTS} | {"release_metrics", "change_points"}
    deadline = time.monotonic() + 1200
    while not known <= _ages(warehouse).keys():
        if time.monotonic() > deadline:
            raise RuntimeError(f"never built: {sorted(known - _ages(warehouse).keys())}")
        time.sleep(5)
    warehouse.close()


def _neighbor_of(service: Service) -> dict[str, str]:
    """Another project of the organization: its keys."""
    base, told = service.credentials["base_url"], service.credentials
    answer = urllib3.request(
        "POST",
        f"{base}/api/projects",
        json={"name": "Neighbor"},
        headers={"Authorization": f"Bearer {told['api_key']}"},
    )
    if answer.status not in (200, 201):
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")
    made = answer.json()
    return {**told, "project": made["slug"], "app_key": made["app_key"]}


def packed(told: Iterator[bytes]) -> list[bytes]:
    """Ready to be sent, as a shipper sends them."""
    return [zstd.compress(body, 3) for body in batches(told, LINES_A_DELIVERY)]


def send(service: Service, keys: Mapping[str, str], bodies: Sequence[bytes]) -> None:
    headers = {
        "Authorization": f"Bearer {keys['api_key']}",
        "X-Errata-App-Key": keys["app_key"],
        "Content-Encoding": "zstd",
    }
    address = f"{service.credentials['base_url']}/api/ingest"
    with urllib3.PoolManager() as pool:
        for body in bodies:
            _sent(pool, address, headers, body)


def _sent(pool: urllib3.PoolManager, address: str, headers: Mapping[str, str], body: bytes) -> None:
    answer = pool.request("POST", address, body=body, headers=headers, timeout=120)
    said: Sequence[Any] = answer.json().get("rejections", []) if answer.status == 200 else [answer.data]
    if answer.status != 200 or answer.json()["rejected"]:
        raise RuntimeError(f"{answer.status}: {said[:3]!r}")


if __name__ == "__main__":
    main()
