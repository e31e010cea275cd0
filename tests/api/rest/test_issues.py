"""Issues and events over HTTP, and what people decide about them."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
EVENT = uuid4()
FIRST, SECOND, THIRD = "ffffffffffffff01", "0000000000000002", "0000000000000003"


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    """A project with three issues of one, two and three events."""
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    app = create_app(ApiSettings(), store, ingest, read)
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        api = Api(app, client, store, prepared.account)
        (project,) = client.get("/api/projects", headers=api.key).json()["projects"]
        own = {"project_id": project["id"]}
        ids = enumerate((FIRST, SECOND, THIRD), 1)
        mapped = [a_mapping(variant_hash=n, issue_id=int(issue_id, 16), **own) for n, issue_id in ids]
        insert(ingest, "errata_raw.variant_issues", mapped)
        insert(
            ingest,
            "errata_raw.variants",
            [a_variant(variant_hash=n, title=f"Error {n}", first_seen_at=NOW, **own) for n in (1, 2, 3)],
        )
        events = [
            an_error_event(
                variant_hash=n,
                occurred_at=NOW - timedelta(minutes=10 * n + m),
                user_hash=5,
                user_email="ada@example.org",
                item_id=EVENT if (n, m) == (1, 0) else uuid4(),
                payload='{"message": "=1+1", "exception": {"values": [{"type": "E"}]}, "extra": {}}',
                **own,
            )
            for n in (1, 2, 3)
            for m in range(n)
        ]
        insert(ingest, "errata_raw.error_events", events)
        yield api
    ingest.close()
    read.close()


def got(api: Api, path: str, **parameters: Any) -> Any:
    answer = api.client.get(path, params=parameters, headers=api.key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def counts(api: Api) -> dict[str, int]:
    return {each["id"]: each["event_count"] for each in got(api, "/api/projects/web-shop/issues")["issues"]}


def test_the_list_has_the_fields_of_the_wire(shop: Api) -> None:
    page = got(shop, "/api/projects/web-shop/issues", limit=2, sort="events")
    assert [(issue["id"], issue["event_count"]) for issue in page["issues"]] == [(THIRD, 3), (SECOND, 2)]
    assert set(page["issues"][0]) >= {
        *("id", "title", "culprit", "type", "level", "status", "first_seen", "last_seen"),
        *("event_count", "user_count", "first_release", "last_release"),
    }
    rest = got(shop, "/api/projects/web-shop/issues", limit=2, sort="events", cursor=page["next_cursor"])
    assert ([issue["id"] for issue in rest["issues"]], rest["next_cursor"]) == ([FIRST], None)
    assert got(shop, "/api/projects/web-shop/issues", query="error 3")["issues"][0]["id"] == THIRD


def test_one_issue_and_its_events(shop: Api) -> None:
    issue = got(shop, f"/api/issues/{THIRD}")
    assert (issue["total_event_count"], issue["status"], issue["project"]) == (3, "unresolved", "web-shop")
    assert sum(issue["history"]["environments"]["production"]) == 3
    page = got(shop, f"/api/issues/{THIRD}/events", limit=2)
    rest = got(shop, f"/api/issues/{THIRD}/events", limit=2, cursor=page["next_cursor"])
    assert len({event["event_id"] for event in page["events"] + rest["events"]}) == 3
    assert page["events"][0]["user"] == {"id": "", "email": "ada@example.org", "name": "", "ip": ""}


@pytest.mark.slow
def test_an_event_is_downloaded_as_json_or_csv(shop: Api) -> None:
    event = got(shop, f"/api/events/{EVENT.hex}")
    assert (event["event_id"], event["issue_id"], event["payload"]["message"]) == (EVENT.hex, FIRST, "=1+1")
    download = shop.client.get(f"/api/events/{EVENT}?format=json", headers=shop.key)
    assert download.headers["content-disposition"] == f'attachment; filename="event-{EVENT.hex}.json"'
    assert download.json() == event
    text = shop.client.get(f"/api/events/{EVENT.hex}?format=csv", headers=shop.key).text
    rows = dict(csv.reader(io.StringIO(text)))
    assert rows["payload.exception.values[0].type"] == "E"
    assert rows["payload.message"] == "'=1+1"
    assert rows["payload.extra"] == "{}"


@pytest.mark.slow
def test_decisions_hold_at_once(shop: Api) -> None:
    def decide(action: str) -> str:
        answer = shop.client.post(f"/api/issues/{FIRST}/{action}", headers=shop.key)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["status"])

    assert [decide(action) for action in ("resolve", "ignore", "unresolve")] == [
        "resolved",
        "ignored",
        "unresolved",
    ]
    decide("resolve")
    assert got(shop, f"/api/issues/{FIRST}")["actor"].startswith("API key")
    found = got(shop, "/api/projects/web-shop/issues", status="resolved")["issues"]
    assert [issue["id"] for issue in found] == [FIRST]


@pytest.mark.slow
def test_a_merge_shows_in_every_count_and_is_taken_back(shop: Api) -> None:
    def merge(issue_id: str, into: str) -> Any:
        return shop.client.post(f"/api/issues/{issue_id}/merge", json={"into": into}, headers=shop.key)

    assert merge(FIRST, SECOND).json() == {"id": FIRST, "status": "unresolved", "merged_into": SECOND}
    assert counts(shop) == {SECOND: 3, THIRD: 3}
    assert merge(SECOND, THIRD).status_code == 200
    assert counts(shop) == {THIRD: 6}
    assert len(got(shop, f"/api/issues/{FIRST}/events")["events"]) == 6
    assert shop.error(400, "POST", f"/api/issues/{THIRD}/merge", json={"into": FIRST}, headers=shop.key)
    assert shop.client.post(f"/api/issues/{FIRST}/unmerge", headers=shop.key).json()["merged_into"] is None
    assert counts(shop) == {FIRST: 1, THIRD: 5}


@pytest.mark.slow
def test_what_is_not_there_or_not_allowed(shop: Api) -> None:
    unknown = "000000000000dead"
    assert shop.error(404, "GET", f"/api/issues/{unknown}", headers=shop.key) == "issue_not_found"
    assert shop.error(404, "POST", f"/api/issues/{unknown}/resolve", headers=shop.key) == "issue_not_found"
    merge = {"json": {"into": unknown}, "headers": shop.key}
    assert shop.error(404, "POST", f"/api/issues/{FIRST}/merge", **merge) == "issue_not_found"
    assert shop.error(404, "GET", f"/api/events/{uuid4().hex}", headers=shop.key) == "event_not_found"
    for path in (
        "/api/issues/xyz",
        "/api/events/xyz",
        f"/api/issues/{FIRST}?period=3y",
        f"/api/issues/{FIRST}/events?cursor=bm8",
        "/api/projects/web-shop/issues?cursor=bm8",
        "/api/projects/web-shop/issues?limit=201",
        "/api/projects/web-shop/issues?sort=name",
    ):
        assert shop.error(400, "GET", path, headers=shop.key) == "invalid_parameter"
    assert shop.error(404, "GET", "/api/projects/none/issues", headers=shop.key) == "project_not_found"
    assert shop.error(401, "GET", f"/api/issues/{FIRST}") == "invalid_api_key"
    headers = shop.sign_in()
    assert shop.error(403, "POST", f"/api/issues/{FIRST}/resolve") == "csrf_failed"
    assert shop.client.post(f"/api/issues/{FIRST}/resolve", headers=headers).status_code == 200
    assert got(shop, f"/api/issues/{FIRST}")["actor"] == shop.account.email


@pytest.mark.slow
def test_a_search_narrows_the_list_and_a_mistake_in_it_says_where(shop: Api) -> None:
    def found(query: str) -> dict[str, int]:
        listed = got(shop, "/api/projects/web-shop/issues", query=query)["issues"]
        return {issue["id"]: issue["event_count"] for issue in listed}

    assert found("user.email:ada@* events:>1 !type:KeyError") == {SECOND: 2, THIRD: 3}
    assert found(f"event:{EVENT.hex}") == {FIRST: 1}
    answer = shop.client.get(
        "/api/projects/web-shop/issues", params={"query": "a is:unresolvd"}, headers=shop.key
    )
    told = answer.json()
    assert (answer.status_code, told["error"]) == (400, "invalid_parameter")
    assert (told["position"], told["end"], told["suggestion"]) == (5, 14, "unresolved")


@pytest.mark.slow
def test_two_events_are_compared_with_kinds_and_places(shop: Api) -> None:
    listed = got(shop, f"/api/issues/{THIRD}/events")["events"]
    left, right = listed[0]["event_id"], listed[2]["event_id"]
    path = f"/api/issues/{THIRD}/events/compare"
    shown = got(shop, path, left=left, right=right)
    assert (shown["left"]["event_id"], shown["right"]["event_id"]) == (left, right)
    assert shown["different_count"] == 0
    (section,) = shown["sections"]
    assert section["rows"][0] == {
        "path": "message",
        "left": {"kind": "text", "text": "=1+1"},
        "right": {"kind": "text", "text": "=1+1"},
        "is_different": False,
    }
    assert got(shop, path, left=left, right=right, differences_only=True)["sections"][0]["rows"] == []


@pytest.mark.slow
def test_only_events_of_the_issue_are_compared(shop: Api) -> None:
    own = got(shop, f"/api/issues/{THIRD}/events")["events"][0]["event_id"]
    for other, code in ((EVENT.hex, "event_not_found"), ("no", "invalid_parameter")):
        path = f"/api/issues/{THIRD}/events/compare?left={own}&right={other}"
        assert shop.error(404 if other == EVENT.hex else 400, "GET", path, headers=shop.key) == code


@pytest.mark.slow
def test_events_are_narrowed_by_user_and_words(shop: Api) -> None:
    def count(**filters: str) -> int:
        return len(got(shop, f"/api/issues/{THIRD}/events", **filters)["events"])

    assert count(user="ada@example.org") == 3
    assert count(user="eve@example.org") == 0
    assert count(words="VALUE bad") == 3
    assert count(words="good") == 0
    assert count(release="shop@1.0") == 3
    assert count(release="shop@2.0") == 0


@pytest.mark.slow
def test_related_issues_have_a_reason_on_each_axis(shop: Api) -> None:
    related = {axis["axis"]: axis["issues"] for axis in got(shop, f"/api/issues/{FIRST}/related")["related"]}
    assert list(related) == ["same_user", "same_time", "similar_stack", "same_release"]
    assert [(issue["id"], issue["reason"]) for issue in related["same_user"]] == [
        (SECOND, "1 of 1 users also hit this (100% of its users)"),
        (THIRD, "1 of 1 users also hit this (100% of its users)"),
    ]


@pytest.mark.slow
def test_what_can_be_typed_comes_from_keys_tags_values_and_members(shop: Api) -> None:
    def suggested(query: str, cursor: int | None = None) -> list[str]:
        place = {} if cursor is None else {"cursor": cursor}
        answer = got(shop, "/api/projects/web-shop/searches/completions", query=query, **place)
        assert 0 <= answer["start"] <= answer["end"] <= len(query)
        return [each["text"] for each in answer["suggestions"]]

    assert "user.email:" in suggested("user") and "is:" in suggested("")
    assert suggested("is:re")[:2] == ["unresolved ", "resolved "]
    assert suggested("user.email:A") == ["ada@example.org "]
    assert suggested("user.email:A !is:new", 12) == ["ada@example.org "]
    assert suggested("release:[shop@") == ["shop@1.0"]
    assert suggested("events:") == [">100 ", ">=10 ", "1 "]
    assert suggested("no.such.tag:x") == []


def test_facets_count_the_matching_events(shop: Api) -> None:
    answer = got(shop, "/api/projects/web-shop/issues/facets", query=f"!event:{EVENT.hex}")
    facets = {facet["name"]: facet["values"] for facet in answer["facets"]}
    assert facets["environment"] == [["production", 5]] and facets["type"] == [["ValueError", 5]]
    assert (answer["is_all"], answer["event_count"]) == (True, 5)


def test_searches_are_kept_by_people(shop: Api) -> None:
    path = "/api/projects/web-shop/searches"
    assert got(shop, path)["searches"][0] == {
        "id": None,
        "page": "issues",
        "name": "Unresolved",
        "query": "is:unresolved",
        "sort": "last_seen",
        "address": "",
        "is_shared": True,
        "is_own": False,
    }
    wanted = {"name": "Ours", "query": "level:error", "sort": "users", "is_shared": True}
    assert shop.error(403, "POST", path, json=wanted, headers=shop.key) == "forbidden"
    csrf = shop.sign_in()
    saved = shop.client.post(path, json=wanted, headers=csrf)
    assert (saved.status_code, saved.json()["is_own"]) == (201, True)
    assert got(shop, path)["searches"][-1]["query"] == "level:error"
    answer = shop.client.post(path, json={**wanted, "query": "is:x"}, headers=csrf)
    assert (answer.status_code, answer.json()["position"]) == (400, 3)
    own = f"{path}/{saved.json()['id']}"
    assert shop.client.delete(own, headers=csrf).status_code == 204
    assert shop.error(404, "DELETE", own, headers=csrf) == "saved_search_not_found"
