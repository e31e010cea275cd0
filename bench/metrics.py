"""A Prometheus reads `/metrics` of two web processes with pipelines, under traffic of which some is refused
and some filtered. Then its sums must be those of the ledger, and all queries of dashboard and rules must run.

Needs `prometheus` and `promtool` (Debian: apt install prometheus). `python -m bench.metrics [--seconds N]`.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from api.ingest.accept import REFUSALS_RECORDED_EVERY_SECONDS
from bench.figures import figure
from errata.warehouse.roles import Role
from tests.ports import free_port, wait_for
from tests.service import ROOT, Service, running

SECONDS = 600
SCRAPE_SECONDS = 5
# Refused deliveries are recorded with the next one that is stored, at most every 15 seconds.
SETTLED_WITHIN_SECONDS = 60
DOCS = ROOT / "docs" / "prometheus"
CLIENTS = 4
PAUSE_SECONDS = 0.2
EVENTS_A_DELIVERY = 10
UNKNOWN_KEY = "errata_app_" + "0" * 32
ACCEPTED = "sum(errata_ingest_accepted_lines_total)"
OUTCOMES = "sum by (outcome) (errata_ingest_outcomes_total)"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.metrics")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    chosen = parser.parse_args()
    with (
        running("--workers", "2") as service,
        tempfile.TemporaryDirectory(prefix="errata-prometheus-") as made,
        prometheus(service, Path(made)) as url,
    ):
        answers = _send(service, chosen.seconds)
        _report_sums(service, url)
        _report_dashboard(url)
        _report_rules(url)
        _report_scrapes(url, chosen.seconds)
        _check_by_promtool(service)
    for status, count in sorted(answers.items()):
        figure("deliveries_answered", count, "deliveries", status=status)


@contextmanager
def prometheus(service: Service, directory: Path) -> Iterator[str]:
    """The address of one that reads the service and evaluates the rules."""
    port = free_port()
    configuration = {
        "global": {"scrape_interval": f"{SCRAPE_SECONDS}s", "evaluation_interval": f"{SCRAPE_SECONDS}s"},
        "rule_files": [str(DOCS / "rules.yml")],
        "scrape_configs": [
            {
                "job_name": "errata",
                "static_configs": [
                    {"targets": [urllib.parse.urlsplit(service.credentials["base_url"]).netloc]}
                ],
            }
        ],
    }
    # JSON is YAML, too.
    (directory / "prometheus.yml").write_text(json.dumps(configuration))
    arguments = [f"--config.file={directory / 'prometheus.yml'}", f"--storage.tsdb.path={directory / 'data'}"]
    with (directory / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            ["prometheus", *arguments, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log
        )
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def _send(service: Service, seconds: int) -> Counter[int]:
    """Deliveries by the status that they were answered with."""
    _filter_noise(service)
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = sum(pool.map(lambda _: _client(service, until), range(CLIENTS)), Counter[int]())
    # What was refused last is recorded with this one.
    time.sleep(REFUSALS_RECORDED_EVERY_SECONDS + 1)
    answers[_deliver(service, _event("the last one"), _keys(service))] += 1
    return answers


def _keys(service: Service) -> dict[str, str]:
    credentials = service.credentials
    return {"Authorization": f"Bearer {credentials['api_key']}", "X-Errata-App-Key": credentials["app_key"]}


def _client(service: Service, until: float) -> Counter[int]:
    answers, own, number = Counter[int](), _keys(service), 0
    while time.monotonic() < until:
        number += 1
        lines = [_event(f"number {number % 40} failed") for _ in range(EVENTS_A_DELIVERY)]
        lines += [
            _event("noise of a probe"),
            b"{broken",
            json.dumps({"type": "statsd", "payload": {}}).encode(),
        ]
        refused = {**own, "X-Errata-App-Key": UNKNOWN_KEY} if number % 5 == 0 else own
        answers[_deliver(service, b"\n".join(lines), refused)] += 1
        if number % 10 == 0:
            _page(service, f"/api/issues?page={number}")
        time.sleep(PAUSE_SECONDS)
    return answers


def _event(message: str) -> bytes:
    payload = {"event_id": uuid4().hex, "message": message, "level": "error"}
    return json.dumps({"type": "event", "payload": payload}).encode()


def _deliver(service: Service, body: bytes, headers: Mapping[str, str]) -> int:
    host = f"bench-{int(time.time()) % 3}"
    source = {"X-Errata-Source": f"host={host}; file=a.log; id=00000000000000aa; from=0; to=9; size=9"}
    return _status(f"{service.credentials['base_url']}/api/ingest", body, {**headers, **source})


def _page(service: Service, path: str) -> int:
    return _status(f"{service.credentials['base_url']}{path}", None, {})


def _status(url: str, body: bytes | None, headers: Mapping[str, str], method: str | None = None) -> int:
    # A connection of its own: the kernel chooses the process.
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _filter_noise(service: Service) -> None:
    credentials = service.credentials
    headers = {"Authorization": f"Bearer {credentials['api_key']}", "Content-Type": "application/json"}
    project = _json(f"{credentials['base_url']}/api/projects", headers)
    slug = project["projects"][0]["slug"]
    body = json.dumps({"filters": {"error-message": ["noise*"]}}).encode()
    url = f"{credentials['base_url']}/api/projects/{slug}/inbound-filters"
    assert _status(url, body, headers, "PUT") == 200


def _json(url: str, headers: Mapping[str, str] | None = None) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers or {}))) as answer:
        return json.load(answer)


def asked(url: str, expression: str) -> list[dict[str, Any]]:
    """The series of a query, now. Raises HTTPError for one that Prometheus refuses."""
    found = _json(f"{url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
    series: list[dict[str, Any]] = found["data"]["result"]
    return series


def _report_sums(service: Service, url: str) -> None:
    ledger = _of_ledger(service)
    until = time.monotonic() + SETTLED_WITHIN_SECONDS
    while (scraped := _of_prometheus(url)) != ledger and time.monotonic() < until:
        time.sleep(1)
        ledger = _of_ledger(service)
    for name in sorted(ledger.keys() | scraped.keys()):
        figure("sum", scraped.get(name, 0), "items", of=name, ledger=ledger.get(name, 0))
    figure(
        "sums_differ", sum(ledger.get(n) != scraped.get(n) for n in ledger.keys() | scraped.keys()), "sums"
    )


def _of_prometheus(url: str) -> dict[str, int]:
    found = {row["metric"]["outcome"]: int(float(row["value"][1])) for row in asked(url, OUTCOMES)}
    return {"accepted": sum(int(float(row["value"][1])) for row in asked(url, ACCEPTED)), **found}


def _of_ledger(service: Service) -> dict[str, int]:
    ledger = service.warehouse(Role.ADMIN)
    accepted = ledger.rows("select sum(accepted_count) as total from errata_raw.deliveries")[0]["total"]
    rows = ledger.rows("select outcome, sum(item_count) as total from errata_raw.outcomes group by outcome")
    ledger.close()
    return {"accepted": accepted, **{row["outcome"]: row["total"] for row in rows}}


def _report_dashboard(url: str) -> None:
    panels = json.loads((DOCS / "grafana.json").read_text())["panels"]
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    empty = [title for title, expression in queries if not asked(url, expression)]
    figure("dashboard_queries", len(queries), "queries", without_series=empty)


def _report_rules(url: str) -> None:
    (group,) = _json(f"{url}/api/v1/rules")["data"]["groups"]
    bad = {rule["name"]: rule.get("lastError", "") for rule in group["rules"] if rule["health"] != "ok"}
    states = Counter(rule["state"] for rule in group["rules"])
    not_quiet = [rule["name"] for rule in group["rules"] if rule["state"] != "inactive"]
    figure("rules", len(group["rules"]), "rules", failed=bad, states=states, not_inactive=not_quiet)


def _report_scrapes(url: str, seconds: int) -> None:
    span = f"[{seconds}s]"
    for name, expression, unit in (
        ("scrapes", f"sum(count_over_time(up{span}))", "scrapes"),
        ("scrapes_that_failed", f"sum(count_over_time(up{span})) - sum(sum_over_time(up{span}))", "scrapes"),
        ("scrape_seconds_mean", f"max(avg_over_time(scrape_duration_seconds{span}))", "s"),
        ("scrape_seconds_worst", f"max(max_over_time(scrape_duration_seconds{span}))", "s"),
        ("resets_of_counters", f"sum(resets(errata_ingest_accepted_lines_total{span}))", "resets"),
        ("series", 'count({__name__=~"errata_.+"})', "series"),
        ("data_checks", "count(errata_data_check_failing)", "checks"),
        ("data_checks_failing", "sum(errata_data_check_failing)", "checks"),
        ("cache_hits", 'sum(errata_cache_lookups_total{result="hit"})', "lookups"),
        ("cache_misses", 'sum(errata_cache_lookups_total{result="miss"})', "lookups"),
        (
            "deliveries_storing_most",
            f"max(max_over_time(errata_ingest_deliveries_storing{span}))",
            "deliveries",
        ),
    ):
        found = asked(url, expression)
        figure(name, float(found[0]["value"][1]) if found else float("nan"), unit)


def _check_by_promtool(service: Service) -> None:
    with urllib.request.urlopen(f"{service.credentials['base_url']}/metrics") as answer:
        told = answer.read()
    checked = subprocess.run(["promtool", "check", "metrics"], input=told, capture_output=True, check=False)
    said = (checked.stdout + checked.stderr).decode().splitlines()
    figure("promtool_check_metrics", checked.returncode, "exit code", bytes=len(told), said=said)
    rules = subprocess.run(
        ["promtool", "check", "rules", str(DOCS / "rules.yml")], capture_output=True, text=True, check=False
    )
    found = re.search(r"(\d+) rules found", rules.stdout + rules.stderr)
    figure("promtool_check_rules", rules.returncode, "exit code", rules=int(found[1]) if found else 0)


if __name__ == "__main__":
    main()
