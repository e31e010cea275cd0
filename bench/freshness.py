"""How old the figures of performance pages are while page loads arrive, and what keeping them fresh costs.

`python -m bench.freshness --seconds 300` starts a whole service with its pipelines, delivers captured page
loads all the time, and asks for the page table every two seconds.
"""

import argparse
import threading
import time
from datetime import UTC, datetime
from itertools import count, islice

import urllib3

from bench.figures import figure
from bench.visits.making import captured_lines, deliver
from tests.service import Service, running

ASK_EVERY_SECONDS = 2.0
LINES_A_SECOND = 12
"""About three page views with their parts."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.freshness")
    parser.add_argument("--seconds", type=int, default=300)
    seconds = parser.parse_args().seconds
    with running() as service:
        ending = threading.Event()
        flow = threading.Thread(target=delivering, args=(service, ending), daemon=True)
        flow.start()
        # Python's imports and the first build of an empty warehouse are not what this is about.
        while age_of_pages(service) is None:
            time.sleep(ASK_EVERY_SECONDS)
        before = service.cpu_seconds()
        ages = watched(service, seconds)
        after = service.cpu_seconds()
        ending.set()
        flow.join(10)
    for name, place in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        figure(f"pages_age_{name}", ages[min(len(ages) - 1, int(len(ages) * place))], "s", seconds=seconds)
    for part in after:
        figure(f"{part}_cpu", (after[part] - before.get(part, 0.0)) / seconds * 100, "%", seconds=seconds)


def watched(service: Service, seconds: int) -> list[float]:
    """The ages seen, ascending."""
    ages, ends_at = list[float](), time.monotonic() + seconds
    while time.monotonic() < ends_at:
        time.sleep(ASK_EVERY_SECONDS)
        age = age_of_pages(service)
        if age is not None:
            ages.append(age)
    return sorted(ages)


def age_of_pages(service: Service) -> float | None:
    """Seconds since the moment that the page table is told as of; None before its first build."""
    told = service.credentials
    answer = urllib3.request(
        "GET",
        f"{told['base_url']}/api/projects/{told['project']}/performance/pages?period=24h",
        headers={"Authorization": f"Bearer {told['api_key']}"},
    ).json()
    if not answer["as_of"]:
        return None
    return (datetime.now(UTC) - datetime.fromisoformat(answer["as_of"])).total_seconds()


def delivering(service: Service, ending: threading.Event) -> None:
    for number in count():
        lines = captured_lines(datetime.now(UTC), f"{time.time_ns()}-{number}")
        while batch := list(islice(lines, LINES_A_SECOND)):
            if ending.wait(1):
                return
            deliver(service, batch)


if __name__ == "__main__":
    main()
