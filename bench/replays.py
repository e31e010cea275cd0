"""Milliseconds until replays are listed, and one is opened, beside all that a project keeps of 26 weeks: the
last 30 days of them. Recordings that nobody opens are short here: no list reads them."""

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import urllib3

from bench.figures import figure
from bench.large_replays import large_segments_fetched, segments_delivered
from bench.replay_storage import captured_replays_stored
from errata.warehouse.roles import Role
from tests.captured_replays import captured_replays
from tests.service import Service, running

STATEMENT = Path(__file__).with_name("replay_days.sql").read_text()
DAYS, REPLAYS_A_DAY, SEGMENTS = 29, 2_000, 6
TRIES = 60
LISTS = {
    "14 days": "",
    "30 days": "period=30d",
    "with errors": "period=30d&has_errors=true",
    "with rage clicks": "period=30d&has_rage_clicks=true",
    "of a page": "period=30d&page=/checkout",
    "of a user": "period=30d&user_query=customer1711",
    "of a user who has none": "period=30d&user_query=nobody",
    "of an environment": "period=30d&environment=staging",
}


def main() -> None:
    with running("--no-pipelines") as service:
        captured_replays_stored(service)
    with running("--no-pipelines") as service:
        large_segments_fetched(service)
        segments_delivered(service)
    with running() as service:
        _fill(service)
        pool = urllib3.PoolManager()
        listed = _get(pool, service, "replays?period=30d").json()["replays"]
        assert len(listed) == 50, "the replays are of another project"
        _lists(pool, service)
        replays = captured_replays(datetime.now(UTC))
        body = b"\n".join(line for replay in replays for line in replay.lines())
        headers = {"Authorization": f"Bearer {service.credentials['api_key']}"}
        headers["X-Errata-App-Key"] = service.credentials["app_key"]
        pool.request("POST", f"{service.credentials['base_url']}/api/ingest", body=body, headers=headers)
        address = f"replays/{replays[0].replay_id}"
        _time("replay_opened_p95", lambda: _get(pool, service, address))
        _time("segment_fetched_p95", lambda: _get(pool, service, f"{address}/segments/0"))


def _lists(pool: urllib3.PoolManager, service: Service) -> None:
    for name, query in LISTS.items():
        _time(f"replays_listed_p95: {name}", partial(_get, pool, service, f"replays?{query}"))


def _fill(service: Service) -> None:
    admin = service.warehouse(Role.ADMIN, 600)
    answer = urllib3.PoolManager().request(
        "GET",
        f"{service.credentials['base_url']}/api/projects",
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
    )
    (project,) = answer.json()["projects"]
    today = datetime.now(UTC).date()
    for day in range(DAYS):
        admin.execute(
            STATEMENT,
            {
                "project_id": project["id"],
                "day": today - timedelta(days=day),
                "replays": REPLAYS_A_DAY,
                "segments": SEGMENTS,
            },
        )
    (found,) = admin.rows("select count() as n, uniq(replay_id) as replays from errata_raw.replay_segments")
    figure("replays_stored", found["replays"], "replays", rows=found["n"])
    while admin.rows("select count() as merges from system.merges")[0]["merges"]:
        time.sleep(1)
    admin.close()


def _get(pool: urllib3.PoolManager, service: Service, path: str) -> urllib3.BaseHTTPResponse:
    slug = service.credentials["project"]
    answer = pool.request(
        "GET",
        f"{service.credentials['base_url']}/api/projects/{slug}/{path}".rstrip("/"),
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
    )
    assert answer.status == 200, answer.data
    return answer


def _time(name: str, ask: Callable[[], object]) -> None:
    ask()
    took = []
    for _ in range(TRIES):
        began = time.monotonic()
        ask()
        took.append((time.monotonic() - began) * 1000)
    p95 = statistics.quantiles(took, n=20)[-1]
    figure(name, p95, "ms", p50=round(statistics.median(took), 1))


if __name__ == "__main__":
    main()
