"""Pages and REST of monitors that a file of configuration declares."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.warehouse.queries.monitors.monitors import MOST_LISTED
from tests.configured import Configured
from tests.dashboards.conftest import Site
from tests.dashboards.monitors.test_monitors import HOURLY, hours, run

FILE = """\
version: 1
projects:
  - slug: shop
    name: Shop
    monitors:
      - slug: backup
        schedule: {type: interval, value: 1, unit: hour}
        checkin_margin: 5
"""
STAGING = """\
      - slug: backup
        environment: staging
        schedule: {type: crontab, value: "0 3 * * *"}
        timezone: Europe/Berlin
        max_runtime: 90
"""
NONE = "version: 1\nprojects:\n  - {slug: shop, name: Shop, monitors: []}\n"


@pytest.fixture
def declared(live_site: Site, monkeypatch: pytest.MonkeyPatch) -> "Declared":
    return Declared(live_site, monkeypatch)


class Declared:
    """A site whose configuration was applied some time ago."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = site
        self.client = site.sign_in()
        self._monkeypatch = monkeypatch

    def apply(self, text: str, ago: timedelta, *, is_pruning: bool = False) -> None:
        with self._monkeypatch.context() as patch:
            patch.setattr(self.site.store.database, "now", lambda: datetime.now(UTC) - ago)
            Configured(self.site.store, folder=Path()).apply(text, is_pruning=is_pruning)

    def listed(self) -> dict[tuple[str, str], dict[str, object]]:
        found = self.client.get("/api/projects/shop/monitors").json()["monitors"]
        return {(one["slug"], one["environment"]): one for one in found}

    def states(self, slug: str) -> dict[str, list[str]]:
        environments = self.client.get(f"/api/projects/shop/monitors/{slug}").json()["environments"]
        return {one["environment"]: [each["state"] for each in reversed(one["runs"])] for one in environments}


def test_a_declared_job_without_check_ins_is_listed_and_its_runs_are_missed(declared: Declared) -> None:
    declared.apply(FILE + STAGING, hours(2.5))
    listed = declared.listed()
    production, staging = listed["backup", "production"], listed["backup", "staging"]
    assert (production["state"], production["schedule"]) == ("failing", "Every hour")
    assert declared.states("backup")["production"] == ["missed", "missed"]
    assert production["declared_at"] and production["failing_since"] and production["next_expected_at"]
    assert staging["schedule"] == "At 03:00 every day (Europe/Berlin)"
    one = declared.client.get("/api/projects/shop/monitors/backup").json()
    assert [(each["environment"], each["timezone"], each["max_runtime"]) for each in one["environments"]] == [
        ("production", "UTC", 30),
        ("staging", "Europe/Berlin", 90),
    ]

    page = declared.client.get("/projects/shop/monitors").text
    assert page.count("Declared in the configuration") == 2 and "Every hour" in page
    page = declared.client.get("/projects/shop/monitors/backup").text
    assert page.count("Declared in the configuration") == 2 and page.count("<dt>Schedule</dt>") == 2
    assert page.count('class="run-state is-missed"') >= 2
    form = declared.client.get("/projects/shop/alerts/new?kind=monitor").text
    assert '<option value="backup"' in form


def test_a_job_that_is_expected_later_waits(declared: Declared) -> None:
    declared.apply(FILE, hours(0.1))
    one = declared.listed()["backup", "production"]
    assert (one["state"], one["last_run_at"], one["last_run_state"]) == ("waiting", None, None)
    assert declared.states("backup") == {"production": []}
    page = declared.client.get("/projects/shop/monitors").text
    assert 'aria-label="No runs yet"' in page
    page = declared.client.get("/projects/shop/monitors/backup").text
    assert "No runs yet" in page and page.count("<dt>Schedule</dt>") == 1
    csv = declared.client.get("/api/projects/shop/monitors?format=csv").text.splitlines()
    assert len(csv) == 2 and csv[1].startswith("backup,production,waiting,Every hour,")
    assert declared.client.get("/api/projects/shop/monitors?format=parquet").status_code == 200


def test_what_is_declared_takes_the_place_of_what_is_sent_until_it_is_removed(declared: Declared) -> None:
    daily = {**HOURLY, "schedule": {"type": "interval", "value": 1, "unit": "day"}}
    sent = {"environment": "production", "monitor_config": daily}
    declared.site.deliver(run("backup", hours(9.2), "in_progress", "ok", **sent))
    assert declared.states("backup") == {"production": ["ok"]}
    declared.apply(FILE, hours(3.05))
    assert declared.states("backup") == {"production": ["ok", "missed", "missed"]}
    # Its check-ins go on sending their own.
    declared.site.deliver(run("backup", hours(2.3), "in_progress", "ok", **sent))
    assert declared.states("backup") == {"production": ["ok", "ok", "missed", "missed"]}
    assert declared.listed()["backup", "production"]["schedule"] == "Every hour"
    declared.apply(NONE, hours(2), is_pruning=True)
    assert declared.states("backup") == {"production": ["ok", "ok"]}
    one = declared.listed()["backup", "production"]
    assert (one["schedule"], one["declared_at"]) == ("Every day", None)
    page = declared.client.get("/projects/shop/monitors/backup").text
    assert "Declared in the configuration" not in page


def test_a_removed_declaration_without_check_ins_leaves_nothing(declared: Declared) -> None:
    declared.apply(FILE, hours(3))
    declared.apply(NONE, hours(1), is_pruning=True)
    assert declared.listed() == {}
    assert declared.client.get("/projects/shop/monitors/backup").status_code == 404
    assert "No monitors" in declared.client.get("/projects/shop/monitors").text


def test_a_job_that_never_ran_is_unknown_where_the_service_was_away(declared: Declared) -> None:
    store, now = declared.site.store, datetime.now(UTC)
    declared.apply(FILE, hours(2.5))
    for began, alive in ((hours(4), hours(1.6)), (hours(1.4), hours(0))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store.database, "now", lambda alive=alive: now - alive)
            store.uptimes.note(now - began)
            store.uptimes.note(now - began)
    assert declared.states("backup") == {"production": ["service_away", "missed"]}


def test_many_declared_monitors_are_all_listed(declared: Declared) -> None:
    entries = "".join(
        f"      - {{slug: job-{number:03}, schedule: {{type: crontab, value: '0 0 1 1 *'}}}}\n"
        for number in range(120)
    )
    declared.apply(FILE + entries, hours(0.2))
    assert len(declared.listed()) == 121 < MOST_LISTED
    first = declared.client.get("/projects/shop/monitors").text
    assert len(re.findall(r'href="/projects/shop/monitors/[a-z0-9-]+"', first)) == 50
