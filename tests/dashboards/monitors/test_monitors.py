"""Pages and REST of monitors over the real warehouse, from check-ins as they are sent."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

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


def test_without_monitors_the_page_says_how_to_get_one(live_site: Site) -> None:
    client = live_site.sign_in()
    assert "No monitors" in client.get("/projects/shop/monitors").text
    assert client.get("/projects/shop/monitors/none").status_code == 404
    assert client.get("/api/projects/shop/monitors/none").json()["error"] == "monitor_not_found"
