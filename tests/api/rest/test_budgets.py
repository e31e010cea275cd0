"""Performance budgets over HTTP: page loads of the last hours in a real warehouse."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.queries.performance.metric_over_time import last_end
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.builders import insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

BUDGETS = "/api/projects/web-shop/performance/budgets"
HOUR = timedelta(hours=1)


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    clients = [warehouse.client(Role.INGEST), warehouse.client(Role.READ)]
    app = create_app(ApiSettings(), store, *clients)
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Api(app, client, store, prepared.account)
    for opened in clients:
        opened.close()


def visited(shop: Api, warehouse: WarehouseProcess, *loads_of_hours: list[float]) -> None:
    """Page loads of past hours, the oldest hour first, the last one that can be looked at last."""
    (project,) = shop.client.get("/api/projects", headers=shop.key).json()["projects"]
    end = last_end(datetime.now(UTC), HOUR) - HOUR / 2
    rows = []
    for age, loads in enumerate(reversed(loads_of_hours)):
        for load in loads:
            started = (end - age * HOUR).timestamp() * 1000
            rows.append(
                {
                    "project_id": project["id"],
                    "view_id": uuid4().int >> 65,
                    "occurred_at": end - age * HOUR,
                    "item_id": uuid4(),
                    "is_load": True,
                    "navigation_type": "navigate",
                    "page": "/checkout/{id}",
                    "environment": "production",
                    "device": "mobile",
                    "started_at_ms": started,
                    "load_at_ms": started + load,
                }
            )
    client = warehouse.client(Role.INGEST)
    insert(client, "errata_raw.page_views", rows)
    client.close()
    build_marts(warehouse, "page_metrics_hourly")


def made(shop: Api, **changes: Any) -> dict[str, Any]:
    given = {
        "name": "Checkout",
        "metric": "load_ms",
        "statistic": "p75",
        "threshold": 2500,
        "pattern": "/checkout/*",
        "window_hours": 1,
        "least_samples": 2,
        **changes,
    }
    answer = shop.client.post(BUDGETS, json=given, headers=shop.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_budget_stands_by_what_real_users_saw_and_a_changed_limit_holds_for_history_at_once(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    visited(shop, warehouse, *[[2000.0] * 80] * 4, *[[2000.0] * 20 + [2750.0] * 60] * 4)
    breached = made(shop)
    kept = made(shop, name="Wide", threshold=2750, environment="production", device="mobile")
    few = made(shop, name="Few", least_samples=60)
    none = made(shop, name="API", metric="server_error_ratio", statistic="", threshold=0.01, pattern="")
    answer = shop.client.get(BUDGETS, headers=shop.key).json()
    assert answer["budgets"] == [breached, kept, few, none] and answer["as_of"]
    assert (breached["state"], breached["value"], breached["sample_count"]) == ("breached", 2750.0, 80)
    # Nobody is identified.
    assert breached["independent_count"] == pytest.approx(40, rel=0.2)
    assert breached["value_at_least"] == 2750.0 and breached["largest_user_ratio"] < 0.1
    assert (breached["kept_ratio"], breached["is_over"], breached["reason"]) == (0.5, True, "")
    assert breached["known_ratio"] == 8 / 720
    assert (kept["state"], kept["kept_ratio"]) == ("kept", 1.0)
    assert (few["state"], few["reason"], few["value"], few["kept_ratio"]) == (
        "unknown",
        "few_users",
        2750.0,
        None,
    )
    assert (none["state"], none["reason"], none["statistic"]) == ("unknown", "not_built", "ratio")
    one = shop.client.get(f"{BUDGETS}/{breached['id']}", headers=shop.key).json()
    assert len(one["history"]) == 720
    assert [point["outcome"] for point in one["history"][-8:]] == ["kept"] * 4 + ["breached"] * 4
    assert one["since"] == one["history"][-2]["at"]
    table = shop.client.get(BUDGETS, params={"format": "csv"}, headers=shop.key).text.splitlines()
    assert len(table) == 5 and table[0].startswith("id,name,metric,statistic,unit,threshold")

    asked = {"metric": "load_ms", "statistic": "p75", "window_hours": 1, "least_samples": 2}
    told = shop.client.post(f"{BUDGETS}/suggestion", json=asked, headers=shop.key).json()
    assert told == {
        "threshold": 3500.0,
        "value": 2750.0,
        "kept_ratio": 1.0,
        "sentence": "Total load time p75 is 2,750 ms: a budget of 3,500 ms would have been kept 100% "
        "of the last 30 days.",
    }
    other = {**asked, "pattern": "/nothing"}
    assert shop.client.post(f"{BUDGETS}/suggestion", json=other, headers=shop.key).json()["threshold"] is None

    path = f"{BUDGETS}/{breached['id']}"
    given = {
        name: breached[name] for name in ("name", "metric", "statistic", "window_hours", "least_samples")
    }
    changed = shop.client.put(path, json={**given, "threshold": 3000}, headers=shop.key).json()
    assert (changed["state"], changed["kept_ratio"], changed["pattern"]) == ("kept", 1.0, "")
    assert shop.client.delete(path, headers=shop.key).status_code == 204
    assert shop.error(404, "GET", path, headers=shop.key) == "budget_not_found"
    told = shop.client.get("/api/activity?kind=budget&limit=3", headers=shop.key).json()["activity"]
    assert [entry["action"] for entry in told] == ["budget.deleted", "budget.changed", "budget.created"]


def test_a_budget_that_means_nothing_is_refused(api: Api) -> None:
    for changes in (
        {"metric": "speed"},
        {"statistic": "p0"},
        {"statistic": "p100"},
        {"statistic": "ratio"},
        {"threshold": -1},
        {"window_hours": 5},
        {"least_samples": 0},
        {"device": "fridge"},
        {"metric": "server_ms", "device": "mobile"},
        {"metric": "server_error_ratio", "statistic": "p75"},
        {"metric": "server_error_ratio", "statistic": "", "threshold": 1.5},
        {"pattern": "/a\nb"},
        {"name": " "},
    ):
        given = {"name": "Load", "metric": "load_ms", "statistic": "p75", "threshold": 2500, **changes}
        code = api.error(400, "POST", BUDGETS, json=given, headers=api.key)
        assert code == "invalid_parameter", changes
