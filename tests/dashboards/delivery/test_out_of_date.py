"""Figures that could not be built are told of to their own project, on the Delivery page and by its API."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, standing
from errata.warehouse.roles import Role
from pipelines.builder.set_aside import Failure, Reason, recovered, set_aside
from tests.dashboards.conftest import Site
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

DAY = datetime(2026, 11, 20, tzinfo=UTC)
MARTS = ("variant_hourly", "repeated_events", "variant_daily")
COUNTED = "select project_id, sum(event_count) as n from errata_mart.variant_hourly group by all"
EVENT = {"event_id": "a" * 32, "message": "sent twice"}


def two_moments() -> list[bytes]:
    """One event id, two lines that an intake wrote seven minutes apart."""
    now = datetime.now(UTC)
    moments = [(now - timedelta(minutes=minutes)).isoformat() for minutes in (80, 73)]
    return [
        json.dumps({"type": "event", "logged_at": at, "payload": {**EVENT, "timestamp": at}}).encode()
        for at in moments
    ]


@pytest.mark.slow
def test_what_is_set_aside_is_shown_to_its_own_project(live_site: Site, warehouse: WarehouseProcess) -> None:
    build = warehouse.client(Role.BUILD)
    live_site.deliver(two_moments())
    build_marts(warehouse, *MARTS)
    assert standing(build) == []
    (row,) = build.rows(
        "select project_id, sum(event_count) as n from errata_mart.variant_hourly group by all"
    )
    assert row["n"] == 1

    project_id = row["project_id"]
    windows = [DAY, DAY + timedelta(days=1)]
    said = "a statement that mentions others"
    set_aside(build, "variant_daily", [Failure(project_id, Reason.MEMORY, said, one) for one in windows])
    set_aside(build, "release_metrics", [Failure(project_id + 1, Reason.TIME)])
    headers = {"Authorization": f"Bearer {live_site.account.api_key}"}
    path = "/api/projects/shop/delivery"
    (told,) = live_site.client.get(path, headers=headers).json()["set_aside"]
    assert (told["mart"], told["reason"], told["window_count"]) == ("variant_daily", "out_of_memory", 2)
    assert (told["first_window"], told["attempt_count"]) == ("2026-11-20T00:00:00Z", 1)
    page = live_site.sign_in().get("/projects/shop/delivery").text
    assert "Figures out of date" in page
    assert "Errors by day" in page
    assert "2 days, 2026-11-20 to 2026-11-21" in page
    assert "exceeds the memory limit of a build" in page
    assert "Releases</th>" not in page
    assert said not in page

    recovered(build, "variant_daily", [(project_id, one) for one in windows])
    assert live_site.client.get(path, headers=headers).json()["set_aside"] == []
    assert "Figures out of date" not in live_site.client.get("/projects/shop/delivery").text
    set_aside(build, "issues", [Failure(project_id, Reason.RECOUNT, window=WHOLE_PROJECT)])
    (told,) = live_site.client.get(path, headers=headers).json()["set_aside"]
    assert told["first_window"] is None
    build.close()
