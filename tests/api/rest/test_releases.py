"""Releases and verdicts over HTTP, with what the pipelines made of page loads of a known difference."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.api.conftest import Api, Prepared
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess

PERFORMANCE = "/api/projects/web-shop/performance"


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    clients = [warehouse.client(Role.INGEST), warehouse.client(Role.READ)]
    app = create_app(ApiSettings(), store, *clients)
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        api = Api(app, client, store, prepared.account)
        (project,) = client.get("/api/projects", headers=api.key).json()["projects"]
        deliver(
            warehouse,
            loads("shop/web@1.0", RELEASED - timedelta(days=7), 400, project_id=project["id"]),
            loads("shop/web@1.1", RELEASED, 400, factor=1.4, seed=2, project_id=project["id"]),
            # Of no release, so that weeks have others before them.
            *(
                loads("", RELEASED - timedelta(weeks=ago), 300, seed=10 + ago, project_id=project["id"])
                for ago in range(2, 7)
            ),
        )
        builder = warehouse.client(Role.BUILD)
        judge_releases(builder, timedelta(0))
        builder.close()
        yield api
    for opened in clients:
        opened.close()


@pytest.mark.slow
def test_ci_gets_one_word_and_all_it_rests_on_and_weeks_say_how_sure_their_change_is(shop: Api) -> None:
    answer = shop.client.get(f"{PERFORMANCE}/releases", headers=shop.key).json()
    assert [(row["release"], row["verdict"]) for row in answer["releases"]] == [
        ("shop/web@1.1", "worse"),
        ("shop/web@1.0", "not_enough_data"),
    ]
    path = f"{PERFORMANCE}/releases/shop%2Fweb%401.1/verdict"
    found = shop.client.get(path, headers=shop.key).json()
    assert (found["verdict"], found["previous_release"], found["judged_after_hours"]) == (
        "worse",
        "shop/web@1.0",
        168,
    )
    assert found["effect_ratio_low"] < 0.4 < found["effect_ratio_high"]
    first = found["effects"][0]
    assert (first["page"], first["q_value"]) == ("", None)
    assert {one["page"] for one in found["effects"]} == {"", "/", "/cart"}
    assert 0 < found["independent_count"] == first["independent_count"] <= first["after_count"]
    assert (found["not_enough_data_because"], found["moved_mix"], first["is_constant"]) == ("", [], False)
    counts = (found["compared_count"], found["compared_before_count"], found["is_counting"])
    assert counts == (first["after_count"], first["before_count"], False)
    as_file = shop.client.get(path, params={"format": "csv"}, headers=shop.key)
    assert as_file.text.count("\n") == len(found["effects"]) + 1
    as_file = shop.client.get(f"{PERFORMANCE}/releases", params={"format": "csv"}, headers=shop.key)
    assert as_file.text.splitlines()[1].startswith("shop/web@1.1,production,shop/web@1.0,")
    for release in ("shop%402", "shop%0A2%0B%2F", "%0A"):
        answer = shop.client.get(f"{PERFORMANCE}/releases/{release}/verdict", headers=shop.key)
        assert (answer.status_code, answer.json()["error"]) == (404, "release_not_found")
    weeks = shop.client.get(f"{PERFORMANCE}/trends", headers=shop.key).json()["trends"]
    assert any(week["weekday_change"] is not None and week["weekday_change_low"] is None for week in weeks)
    sure = [week for week in weeks if week["weekday_change_low"] is not None]
    assert sure and all(
        week["weekday_change_low"] < week["weekday_change"] < week["weekday_change_high"] for week in sure
    )
    answer = shop.client.get(f"{PERFORMANCE}/change-points", headers=shop.key)
    assert answer.json() == {"change_points": [], "as_of": None}
    as_file = shop.client.get(f"{PERFORMANCE}/change-points", params={"format": "csv"}, headers=shop.key)
    assert as_file.text.startswith("environment,page,metric,day,")


@pytest.mark.slow
def test_a_release_says_while_its_late_days_are_still_being_counted(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    (project,) = shop.client.get("/api/projects", headers=shop.key).json()["projects"]
    late = loads("shop/web@1.1", RELEASED, 60, seed=3, project_id=project["id"])
    today = loads("shop/web@1.1", datetime.now(UTC) - timedelta(hours=1), 1, seed=4, project_id=project["id"])
    now = datetime.now(UTC)
    deliver(warehouse, [{**row, "received_at": now} for row in [*late, {**today[0], "occurred_at": now}]])
    answer = shop.client.get(f"{PERFORMANCE}/releases", headers=shop.key).json()
    counting = {row["release"]: row["is_counting"] for row in answer["releases"]}
    assert counting == {"shop/web@1.1": True, "shop/web@1.0": True}
    # All of what waits is built where nothing recent came.
    deliver(warehouse, [{**late[0], "item_id": uuid4(), "received_at": datetime.now(UTC)}])
    answer = shop.client.get(f"{PERFORMANCE}/releases", headers=shop.key).json()
    assert not any(row["is_counting"] for row in answer["releases"])
