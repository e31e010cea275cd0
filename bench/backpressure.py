"""Twenty hosts while the warehouse is away: what the service answers and holds, and how they catch up.

`python -m bench.backpressure` takes the warehouse away for five minutes while every host writes on. It says
what the web process answered, what health said and how its memory stayed, when what hosts wrote after the
return could be seen, when all was stored, and whether each file arrived in order.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import urllib3

from bench.crowd.making import say
from bench.events import repeated
from bench.figures import figure
from bench.shipper import started
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess, free_port, start_warehouse
from tests.service import ROOT

HOSTS = 20
EVENTS_A_SECOND = 2.0
"""Of each host: 24 KB each."""
SETTLE_SECONDS = 20
SAMPLE_SECONDS = 2.0
VISIBLE_WITHIN_SECONDS = 600
FILE_NAME = "errata-2026-11-29.log"


@dataclass
class Host:
    """A folder with a log file that grows, and the shipper of it."""

    folder: Path
    seed: int
    written: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def write(self, every_seconds: float) -> None:
        with (self.folder / FILE_NAME).open("ab", buffering=0) as file:
            for line in repeated(10**6, seed=self.seed):
                item = json.loads(line)
                item["payload"]["server_name"] = self.folder.name
                item["payload"]["tags"] = {"written": str(self.written)}
                item.pop("logged_at")
                file.write(json.dumps(item, separators=(",", ":")).encode() + b"\n")
                self.written += 1
                if self.stopping.wait(every_seconds):
                    return


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.backpressure")
    parser.add_argument("--away", type=int, default=300, help="seconds without a warehouse")
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--rate", type=float, default=EVENTS_A_SECOND, help="events per second and host")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = Path(made)
        warehouse = start_warehouse(folder / "data")
        with _web(folder, warehouse) as (base_url, web):
            _measure(folder, warehouse, base_url, web, chosen)


def _measure(
    folder: Path, warehouse: WarehouseProcess, base_url: str, web: psutil.Process, chosen: argparse.Namespace
) -> None:
    keys = json.loads((folder / "credentials.json").read_text())
    hosts = [Host(folder / f"host-{number:02}", seed=number) for number in range(chosen.hosts)]
    shippers = []
    for host in hosts:
        host.folder.mkdir()
        threading.Thread(target=host.write, args=(1 / chosen.rate,), daemon=True).start()
        fields = {"apiKey": keys["api_key"], "appKey": keys["app_key"], "instance": host.folder.name}
        shippers.append(started(host.folder, base_url, **fields))
    time.sleep(SETTLE_SECONDS)
    admin = warehouse.client(Role.ADMIN)
    figure("backpressure_stored_before", _count(admin), "events", hosts=len(hosts))
    before = web.memory_full_info().pss
    warehouse.stop()
    answers, most, health = _away(base_url, keys, web, chosen.away)
    figure("backpressure_web_pss", most / 1e6, "MB", before=round(before / 1e6), away_seconds=chosen.away)
    figure("backpressure_answers", sum(answers.values()), "answers", answers=dict(answers), health=health)
    behind = sum(host.written for host in hosts)
    again = start_warehouse(folder / "data", port=warehouse.port)
    returned_at = time.monotonic()
    _catch_up(hosts, again, web, behind, returned_at)
    for shipper in shippers:
        shipper.terminate()
    for shipper in shippers:
        shipper.wait(30)
    again.stop()


def _away(
    base_url: str, keys: dict[str, str], web: psutil.Process, seconds: int
) -> tuple[Counter[str], int, str]:
    """What a delivery was answered, the largest PSS, and why by health."""
    pool = urllib3.PoolManager(retries=False, timeout=30)
    headers = {"Authorization": f"Bearer {keys['api_key']}", "X-Errata-App-Key": keys["app_key"]}
    body = b"".join(repeated(5, seed=77))
    answers, most, health = Counter[str](), 0, ""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        answer = pool.request("POST", f"{base_url}/api/ingest", body=body, headers=headers)
        answers[f"{answer.status} Retry-After {answer.headers.get('Retry-After')}"] += 1
        most = max(most, web.memory_full_info().pss)
        health = json.dumps(pool.request("GET", f"{base_url}/api/health").json().get("reasons"))
        time.sleep(SAMPLE_SECONDS)
    return answers, most, health


def _catch_up(
    hosts: list[Host], warehouse: WarehouseProcess, web: psutil.Process, behind: int, returned_at: float
) -> None:
    admin = warehouse.client(Role.ADMIN)
    # Written after the return: how long until each host's can be seen.
    marks = {host.folder.name: host.written for host in hosts}
    first_seen: dict[str, float] = {}
    most = 0
    stopped = False
    while time.monotonic() - returned_at < VISIBLE_WITHIN_SECONDS:
        most = max(most, web.memory_full_info().pss)
        for row in admin.rows(NEWEST):
            host, newest = row["server_name"], row["newest"]
            if newest >= marks.get(host, 1 << 60) and host not in first_seen:
                first_seen[host] = time.monotonic() - returned_at
        stored = _count(admin)
        say(f"{len(first_seen)} hosts current, {stored} stored of {sum(host.written for host in hosts)}")
        if len(first_seen) == len(hosts) and not stopped:
            stopped = True
            for host in hosts:
                host.stopping.set()
        if stopped and stored >= sum(host.written for host in hosts):
            break
        time.sleep(1)
    seconds = time.monotonic() - returned_at
    waits = sorted(first_seen.values())
    written = sum(host.written for host in hosts)
    figure("backpressure_first_host_current", waits[0], "s", last_host=round(waits[-1], 1), hosts=len(waits))
    figure("backpressure_all_stored", seconds, "s", written=written, stored=_count(admin), behind=behind)
    figure("backpressure_web_pss_catching_up", most / 1e6, "MB")
    (row,) = admin.rows(DISORDER)
    figure("backpressure_out_of_order", row["disordered"], "batches", batches=row["batch_count"])
    admin.close()


def _count(admin: Warehouse) -> int:
    rows = admin.rows("select uniqExact(item_id) as event_count from errata_raw.error_events")
    return int(rows[0]["event_count"])


NEWEST = """
    select server_name::String as server_name, max(toUInt32OrZero(tags['written'])) as newest
    from errata_raw.error_events where server_name like 'host-%' group by server_name
"""
# Batches of a file by when they were stored: each begins at or before the end of those stored before.
DISORDER = """
    select countIf(byte_from > stored_to) as disordered, count() as batch_count
    from (
        select
            byte_from,
            max(byte_to) over (
                partition by host order by received_at, byte_from
                rows between unbounded preceding and 1 preceding
            ) as stored_to
        from errata_raw.deliveries where host like '%host-%' and byte_to > byte_from
    )
"""


@contextmanager
def _web(folder: Path, warehouse: WarehouseProcess) -> Iterator[tuple[str, psutil.Process]]:
    port = free_port()
    base_url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "ERRATA_WAREHOUSE_ADMIN_URL": warehouse.url(Role.ADMIN),
        "ERRATA_WAREHOUSE_URL": warehouse.url(Role.INGEST),
        "ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD),
        "ERRATA_WAREHOUSE_READ_URL": warehouse.url(Role.READ),
        "ERRATA_WAREHOUSE_ANALYST_URL": warehouse.url(Role.ANALYST),
        "ERRATA_STATE_URL": f"sqlite:///{folder / 'state.db'}",
        "ERRATA_SECRET": "s" * 40,
        "ERRATA_BASE_URL": base_url,
        "ERRATA_BUILDS": "false",
    }
    run = [sys.executable, "-m", "errata"]
    subprocess.run([*run, "migrate", "--first-account", str(folder)], cwd=ROOT, env=environment, check=True)
    process = subprocess.Popen([*run, "web", "--port", str(port)], cwd=ROOT, env=environment)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if urllib3.request("GET", f"{base_url}/api/health", retries=False, timeout=2).status == 200:
                    break
            except urllib3.exceptions.HTTPError:
                time.sleep(0.2)
        yield base_url, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    main()
