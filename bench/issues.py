"""What people wait for at a crowd's size: p50 and p95 of the issue list and of an issue's page and answers.

`python -m bench.issues --folder DIR` makes the crowd if the folder has none, brings its marts up to date and
asks a real service over HTTP while new events flow in.
"""

import argparse
import itertools
import math
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

import urllib3

from bench.crowd.__main__ import MEMORY_BYTES
from bench.crowd.making import EVENTS_A_DELIVERY, Making, deliver, say
from bench.crowd.originals import Event, changed, originals
from bench.crowd.plan import Plan
from bench.figures import figure
from errata.warehouse.queries.vocabulary import Sort
from pipelines.builder.lease import Pace
from tests.service import Service, running

WARM_UPS = 2
PERIODS = ("24h", "7d", "14d", "30d", "90d")
EVENTS_A_SECOND = 5
KNOWN_ISSUES = 2_000
LAG = Pace().lag
FLOWING_AT_MOST = 100_000


class Asking:
    """As the owner: pages with a session, REST with the same one."""

    def __init__(self, service: Service) -> None:
        self._base = service.credentials["base_url"]
        self._pool = urllib3.PoolManager()
        named = {name: service.credentials[name] for name in ("email", "password")}
        answer = self._pool.request("POST", f"{self._base}/api/auth/sign-in", json=named)
        self._headers = {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}

    def get(self, path: str) -> urllib3.BaseHTTPResponse:
        answer = self._pool.request("GET", f"{self._base}{path}", headers=self._headers, timeout=120)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}: {answer.data[:300]!r}")
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.issues")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--events", type=int, default=20_000_000, help="of a new folder")
    parser.add_argument("--issues", type=int, default=50_000, help="of a new folder")
    parser.add_argument("--times", type=int, default=20, help="how often each question is asked")
    parser.add_argument("--build-only", action="store_true", help="bring the marts up to date and end")
    chosen = parser.parse_args()
    plan = Plan.of(chosen.folder, chosen.events, chosen.issues, 50_000, 1)
    with running(
        "--no-pipelines", "--memory", str(MEMORY_BYTES), directory=chosen.folder / "data"
    ) as service:
        making = Making(service, plan)
        making.run()
        if chosen.build_only:
            return
        deliver_known(service)
        # What came within the lag is in no build.
        time.sleep(LAG.total_seconds() + 5)
        # The builds end just before, as every five minutes of a service.
        making.marts()
        with flowing(service, range(KNOWN_ISSUES)):
            measure(service, chosen.times)
            measure_live(service, "new_events", chosen.times)
        # Nobody has seen them before.
        first = plan.issue_count + int(time.time()) % 10_000_000 * EVENTS_A_SECOND
        with flowing(service, range(first, first + FLOWING_AT_MOST)):
            measure_live(service, "new_issues", chosen.times)
        parts = {name: round(size / 1e6) for name, size in service.pss_bytes().items()}
        figure("issues_memory_pss", sum(parts.values()), "MB", parts=parts)


def measure(service: Service, times: int) -> None:
    asking = Asking(service)
    project = f"/projects/{service.credentials['project']}"
    for sort, period in itertools.product(Sort, PERIODS):
        lists = f"/api{project}/issues?sort={sort}&period={period}"
        timed(service, "list", partial(asking.get, lists), times, sort=str(sort), period=period)
    for name, query in {
        "environment": "environment=production",
        "status": "status=unresolved",
        "release": "release=shop@2.12.0",
        "level": "query=level:error",
        "words": "query=checkout",
        "search": "query=environment:production+!user.email:user7@example.org+plan:team",
    }.items():
        path = f"/api{project}/issues?{query}"
        timed(service, f"list_{name}", partial(asking.get, path), times)
    first = asking.get(f"/api{project}/issues?sort=events&period=90d").json()
    cursor = first["next_cursor"]
    following = f"/api{project}/issues?sort=events&period=90d&cursor={cursor}"
    timed(service, "list_next_page", partial(asking.get, following), times)
    timed(service, "list_page_html", partial(asking.get, f"{project}/issues"), times)
    for name, query in {"facets": "period=14d", "facets_search": "period=14d&query=plan:team"}.items():
        timed(service, name, partial(asking.get, f"/api{project}/issues/facets?{query}"), times)
    for place, name in ((0, "most_events"), (1, "second_most_events"), (49, "fiftieth")):
        issue_id = first["issues"][place]["id"]
        page, rest = f"{project}/issues/{issue_id}", f"/api/issues/{issue_id}"
        history = asking.get(f"{rest}/events?limit=50").json()
        event, other = (history["events"][place]["event_id"] for place in (0, -1))
        for question, path in {
            "issue_page_html": page,
            "issue": rest,
            "event_history": f"{rest}/events",
            "event_history_next": f"{rest}/events?cursor={history['next_cursor']}",
            "event_history_html": f"{page}?tab=events",
            "event": f"/api/events/{event}",
            "compare": f"{rest}/events/compare?left={event}&right={other}",
            "compare_html": f"{page}?tab=compare&left={event}&right={other}",
            "related": f"{rest}/related",
            "different": f"{rest}/different",
            "grouping": f"{rest}/grouping",
        }.items():
            timed(service, question, partial(asking.get, path), times, issue=name)


def measure_live(service: Service, of: str, times: int) -> None:
    """Asked about once a second: something has come each time."""
    asking = Asking(service)
    project = f"/projects/{service.credentials['project']}"
    asked = {"list_live": f"/api{project}/issues", "list_page_live_html": f"{project}/issues"}
    for name, path in asked.items():
        timed(service, name, partial(asking.get, path), times, pause=0.9, of=of)


def timed(
    service: Service,
    name: str,
    ask: Callable[[], object],
    times: int,
    *,
    pause: float = 0,
    **facts: object,
) -> None:
    """`first`: how long it took when nobody had asked since the build; `pause`: seconds before each."""
    try:
        first = _taken(ask)
        for _ in range(WARM_UPS - 1):
            ask()
    except RuntimeError as error:
        figure(f"{name}_refused", 1, "answers", because=str(error), **facts)
        return
    before, taken = service.cpu_seconds(), list[float]()
    for _ in range(times):
        time.sleep(pause)
        taken.append(_taken(ask))
    after = service.cpu_seconds()
    cpu = {part: round((after[part] - before[part]) * 1000 / times, 1) for part in ("warehouse", "web")}
    taken.sort()
    # By nearest rank.
    p95 = taken[math.ceil(0.95 * len(taken)) - 1]
    p50 = round(statistics.median(taken), 1)
    figure(f"{name}_p95", p95, "ms", p50=p50, first=round(first, 1), cpu_ms=cpu, times=times, **facts)


def _taken(ask: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def deliver_known(service: Service) -> None:
    """The issues that events flow of later."""
    events = originals()
    for first in range(0, KNOWN_ISSUES, EVENTS_A_DELIVERY):
        deliver(service, [_of_now(events, number) for number in range(first, first + EVENTS_A_DELIVERY)])


@contextmanager
def flowing(service: Service, numbers: range) -> Iterator[None]:
    """New events of these issues arrive meanwhile, through the API."""
    ending = threading.Event()
    events = originals()

    def flow() -> None:
        for second in itertools.count():
            if ending.wait(1):
                return
            first = second * EVENTS_A_SECOND
            chosen = (numbers[place % len(numbers)] for place in range(first, first + EVENTS_A_SECOND))
            deliver(service, [_of_now(events, number) for number in chosen])

    thread = threading.Thread(target=flow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(10)
        say("the flow of events ended")


def _of_now(events: Sequence[Event], number: int) -> Event:
    event = changed(events[number % len(events)], number)
    return {**event, "event_id": uuid4().hex, "timestamp": datetime.now(UTC).isoformat()}


if __name__ == "__main__":
    main()
