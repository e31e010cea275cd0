"""Pages and REST of monitors over the real warehouse, from check-ins as they are sent."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from errata.warehouse.queries.monitors import delivered
from tests.dashboards.conftest import Site

HOURLY = {
    "schedule": {"type": "interval", "value": 1, "unit": "hour"},
    "checkin_margin": 5,
    "max_runtime": 30,
}


def run(slug: str, ago: timedelta, *statuses: str, **more: Any) -> list[bytes]:
    """Its statuses are a minute apart."""
    began_at, check_in_id = datetime.now(UTC) - ago, uuid4().hex
    lines = []
    for number, status in enumerate(statuses):
        payload = {"check_in_id": check_in_id, "monitor_slug": slug, "status": status, **more}
        logged_at = (began_at + number * timedelta(minutes=1)).isoformat()
        lines.append(json.dumps({"type": "check_in", "logged_at": logged_at, "payload": payload}).encode())
    return lines


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def test_runs_are_listed_with_those_that_are_missing(live_site: Site) -> None:
    client = live_site.sign_in()
    production = {"environment": "production", "monitor_config": HOURLY}
    lines = [
        *run("nightly", hours(5.2), "in_progress", "ok", **production),
        *run("nightly", hours(4.2), "in_progress", "error", **production),
        *run("nightly", hours(3.2), "in_progress", "ok", **production, release="jobs@2.0"),
        *run("steady", hours(0.5), "in_progress", "ok", **production),
        *run("plain", hours(1), "ok"),
    ]
    for _ in range(2):
        live_site.deliver(lines)

    listed = client.get("/api/projects/shop/monitors").json()["monitors"]
    assert {one["slug"]: (one["environment"], one["state"], one["last_run_state"]) for one in listed} == {
        "nightly": ("production", "failing", "missed"),
        "plain": ("", "ok", "ok"),
        "steady": ("production", "ok", "ok"),
    }
    assert {one["slug"]: one["schedule"] for one in listed}["steady"] == "Every hour"

    html = client.get("/projects/shop/monitors").text
    assert re.findall(r'href="/projects/shop/monitors/([a-z]+)"', html) == ["nightly", "plain", "steady"]
    assert "Latest runs, newest last: 3 Missed, 2 OK, 1 Error" in html
    assert "Every hour" in html and "No schedule sent" in html

    one = client.get("/api/projects/shop/monitors/nightly").json()
    assert (one["checkin_margin"], one["max_runtime"], one["timezone"]) == (5, 30, "UTC")
    (production_of_one,) = one["environments"]
    states = [shown["state"] for shown in production_of_one["runs"]]
    assert states == ["missed", "missed", "missed", "ok", "error", "ok"]
    assert production_of_one["runs"][3]["duration_ms"] == 60_000
    assert production_of_one["failing_since"] == production_of_one["runs"][2]["at"]

    page = client.get("/projects/shop/monitors/nightly").text
    assert page.count('class="run-state is-missed"') == 3 and "jobs@2.0" in page
    csv = client.get("/api/projects/shop/monitors/nightly?format=csv").text
    assert len(csv.splitlines()) == 7


def test_a_job_of_a_silent_host_is_unknown_until_the_host_has_delivered_past_the_expected_time(
    live_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivered, "SETTLED_AFTER", timedelta(0))
    client = live_site.sign_in()
    headers = {
        "Authorization": f"Bearer {live_site.account.api_key}",
        "X-Errata-App-Key": live_site.account.app_key,
    }

    def ship(lines: list[bytes], source: str) -> None:
        body = b"\n".join(lines)
        answer = client.post(
            "/api/ingest", content=body, headers={**headers, "X-Errata-Source": f"host=web-1; {source}"}
        )
        assert answer.json()["rejected"] == []

    def states() -> list[str]:
        one = client.get("/api/projects/shop/monitors/nightly").json()["environments"][0]
        return [shown["state"] for shown in reversed(one["runs"])]

    def event(ago: timedelta) -> bytes:
        logged_at = (datetime.now(UTC) - ago).isoformat()
        return json.dumps({"type": "event", "logged_at": logged_at, "payload": {"message": "x"}}).encode()

    first = "file=errata-2026-11-21.log; id=00000000000000aa"
    second = "file=errata-2026-11-22.log; id=00000000000000bb"
    ship(
        run("nightly", hours(3.2), "in_progress", "ok", monitor_config=HOURLY),
        f"{first}; from=0; to=9; size=9",
    )
    assert states() == ["ok", "unknown", "unknown", "unknown"]
    assert "Unknown: host silent" in client.get("/projects/shop/monitors").text
    # The second file is delivered, and the first one is known to have more lines.
    ship([event(hours(1.8))], f"{first}; from=9; to=20; size=40")
    ship([event(hours(0))], f"{second}; from=0; to=9; size=9")
    assert states() == ["ok", "missed", "unknown", "unknown"]
    late = run("nightly", hours(1.2), "in_progress", "ok", monitor_config=HOURLY)
    ship(late, f"{first}; from=20; to=40; size=40")
    assert states() == ["ok", "missed", "ok", "missed"]


def test_without_monitors_the_page_says_how_to_get_one(live_site: Site) -> None:
    client = live_site.sign_in()
    assert "No monitors" in client.get("/projects/shop/monitors").text
    assert client.get("/projects/shop/monitors/none").status_code == 404
    assert client.get("/api/projects/shop/monitors/none").json()["error"] == "monitor_not_found"


def test_batches_with_the_key_of_another_project_tell_that_a_host_is_not_silent(
    live_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivered, "SETTLED_AFTER", timedelta(0))
    client = live_site.sign_in()
    (organization_id,) = {organization for organization, _project in live_site.store.projects.all()}
    other = live_site.store.projects.create(organization_id, "Warehouse", actor="owner@shop.example")

    def ship(lines: list[bytes], source: str, app_key: str) -> None:
        headers = {
            "Authorization": f"Bearer {live_site.account.api_key}",
            "X-Errata-App-Key": app_key,
            "X-Errata-Source": f"host=web-1; {source}",
        }
        answer = client.post("/api/ingest", content=b"\n".join(lines), headers=headers)
        assert answer.json()["rejected"] == []

    own = run("nightly", hours(1.2), "in_progress", "ok", monitor_config=HOURLY)
    ship(own, "file=a.log; id=00000000000000aa; from=0; to=9; size=9", live_site.account.app_key)
    assert _states(client) == ["ok", "unknown"]
    logged_at = datetime.now(UTC).isoformat()
    event = json.dumps({"type": "event", "logged_at": logged_at, "payload": {"message": "x"}}).encode()
    ship([event], "file=b.log; id=00000000000000bb; from=0; to=9; size=9", other.app_key.key)
    assert _states(client) == ["ok", "missed"]


def test_many_monitors_have_pages_with_failing_ones_first(live_site: Site) -> None:
    client = live_site.sign_in()
    names = [f"job-{number:02}" for number in range(60)]
    lines = [one for name in names[:58] for one in run(name, hours(0.4), "ok", monitor_config=HOURLY)]
    for hour in range(40, 0, -1):
        # Of each more than the state of a monitor that is well needs.
        lines += run("job-58", hours(hour), "in_progress", "error", monitor_config=HOURLY)
        lines += run(
            "job-59", hours(hour), "in_progress", "ok" if hour > 1 else "error", monitor_config=HOURLY
        )
    live_site.deliver([*lines, *run("job-58", hours(0.3), "error"), *run("job-59", hours(0.3), "error")])

    def listed(address: str) -> tuple[list[str], str]:
        html = client.get(address).text
        following = re.search(r'rel="next" href="([^"]+)"', html)
        return re.findall(r'href="/projects/shop/monitors/([a-z0-9-]+)"', html), following[
            1
        ] if following else ""

    first, following = listed("/projects/shop/monitors")
    assert first == ["job-58", "job-59", *names[:48]]
    second, last = listed(following)
    assert (second, last) == (names[48:58], "")
    assert listed("/projects/shop/monitors?cursor=900")[0] == first
    whole = {
        name: client.get(f"/api/projects/shop/monitors/{name}").json()["environments"][0]
        for name in names[57:]
    }
    for one in client.get("/api/projects/shop/monitors").json()["monitors"][57:]:
        expected = whole[one["slug"]]
        assert one == {name: expected[name] for name in one}
    assert whole["job-58"]["failing_since"] == whole["job-58"]["runs"][-1]["at"]


def _states(client: TestClient) -> list[str]:
    one = client.get("/api/projects/shop/monitors/nightly").json()["environments"][0]
    return [shown["state"] for shown in reversed(one["runs"])]
