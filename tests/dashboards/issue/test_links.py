"""Issues linked with a tracker: over HTTP and on the page, against a tracker on loopback."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

import api.app
from api.jobs.tracker_links import tracker_link_job
from api.settings import ApiSettings
from dashboards.app import create_app
from errata.settings import load
from errata.state import Store
from errata.warehouse.roles import Role
from tests.dashboards.conftest import Site
from tests.dashboards.issue.test_different import an_event, issues
from tests.processes import WarehouseProcess
from tests.tracker_server import TOKEN, TrackerServer, allowing_loopback, running_tracker


@pytest.fixture
def server() -> Iterator[TrackerServer]:
    with running_tracker() as running:
        yield running


@pytest.fixture
def linking_site(store: Store, warehouse: WarehouseProcess) -> Iterator[Site]:
    """As live_site, but its operator lets it reach loopback."""
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@shop.example")
    mounted = api.app.create_app(
        load(ApiSettings, {}),
        store,
        ingest,
        read,
        base_url="http://errata.example",
        outgoing=allowing_loopback(),
    )
    with TestClient(create_app(mounted), raise_server_exceptions=False) as client:
        yield Site(client, store, account)
    ingest.close()
    read.close()


class EndlessRun:
    def goes_on(self) -> bool:
        return True

    def wake(self, name: str) -> None:
        raise AssertionError(name)


def asked(site: Site, method: str, path: str, status: int, body: dict[str, Any] | None = None) -> Any:
    key = {"Authorization": f"Bearer {site.account.api_key}"}
    answer = site.client.request(method, path, json=body, headers=key)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def connected(site: Site, server: TrackerServer) -> str:
    body = {"kind": "github", "base_url": server.url, "target": "acme/shop", "token": TOKEN}
    return str(asked(site, "POST", "/api/projects/shop/integrations", 201, body)["id"])


def found_by_link(site: Site) -> list[str]:
    found = asked(site, "GET", "/api/projects/shop/issues?query=is:linked", 200)
    page = site.client.get("/projects/shop/issues?query=is:linked").text
    assert page.count("<tr data-issue=") == len(found["issues"])
    return [issue["id"] for issue in found["issues"]]


@pytest.mark.slow
def test_an_issue_is_made_there_linked_followed_and_unlinked(
    linking_site: Site, server: TrackerServer
) -> None:
    client = linking_site.sign_in()
    linking_site.deliver([an_event("KeyError", number) for number in range(3)] + [an_event("OSError", 3)])
    issue_id = issues(linking_site)["KeyError"]
    integration_id = connected(linking_site, server)
    made = asked(
        linking_site, "POST", f"/api/issues/{issue_id}/links", 201, {"integration_id": integration_id}
    )
    assert (made["key"], made["is_open"], made["kind"]) == ("1", True, "github")
    assert f"http://errata.example/projects/shop/issues/{issue_id}" in server.issues[1]["body"]
    page = client.get(f"/projects/shop/issues/{issue_id}").text
    assert f'href="{server.url}/acme/shop/issues/1"' in page and "GitHub #1" in page
    again = {"integration_id": integration_id, "reference": "#1"}
    assert found_by_link(linking_site) == [issue_id]
    twice = asked(linking_site, "POST", f"/api/issues/{issue_id}/links", 409, again)
    assert twice["error"] == "issue_linked"

    server.issues[1]["state"] = "closed"
    link = f"/api/issues/{issue_id}/links/{made['id']}"
    assert asked(linking_site, "POST", f"{link}/refresh", 200)["status"] == "closed"
    del server.issues[1]
    gone = asked(linking_site, "POST", f"{link}/refresh", 200)
    assert "no such issue" in gone["problem"] and gone["status"] == "closed"
    from_elsewhere = f"/api/issues/{issues(linking_site)['OSError']}/links/{made['id']}"
    assert asked(linking_site, "DELETE", from_elsewhere, 404)["error"] == "link_not_found"
    asked(linking_site, "DELETE", link, 204)
    assert asked(linking_site, "GET", f"/api/issues/{issue_id}/links", 200)["links"] == []
    assert found_by_link(linking_site) == []
    assert asked(linking_site, "DELETE", link, 404)["error"] == "link_not_found"


@pytest.mark.slow
def test_links_follow_a_merge(linking_site: Site, server: TrackerServer) -> None:
    linking_site.sign_in()
    linking_site.deliver([an_event(kind, 1) for kind in ("KeyError", "ValueError")])
    known = issues(linking_site)
    part, whole = known["KeyError"], known["ValueError"]
    body = {"integration_id": connected(linking_site, server)}
    asked(linking_site, "POST", f"/api/issues/{part}/links", 201, body)
    asked(linking_site, "POST", f"/api/issues/{part}/merge", 200, {"into": whole})
    (link,) = asked(linking_site, "GET", f"/api/issues/{whole}/links", 200)["links"]
    assert link["key"] == "1"


@pytest.mark.slow
def test_the_watch_refreshes_what_is_old_and_leaves_a_busy_tracker_alone(
    linking_site: Site, server: TrackerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.jobs.tracker_links.OPEN_FOR", timedelta(minutes=-1))
    linking_site.sign_in()
    linking_site.deliver([an_event("KeyError", 1)])
    issue_id = issues(linking_site)["KeyError"]
    body = {"integration_id": connected(linking_site, server)}
    asked(linking_site, "POST", f"/api/issues/{issue_id}/links", 201, body)
    job = tracker_link_job(linking_site.client.app.state.context)  # type: ignore[attr-defined]
    server.issues[1]["title"] = "renamed"
    job.work(EndlessRun())
    (link,) = asked(linking_site, "GET", f"/api/issues/{issue_id}/links", 200)["links"]
    assert link["title"] == "renamed"
    server.next_answer = (429, {"message": "slow down"}, {"Retry-After": "600"})
    job.work(EndlessRun())
    asked_before = len(server.requests)
    job.work(EndlessRun())
    assert len(server.requests) == asked_before


def test_a_tracker_is_tried_before_it_is_stored_and_its_token_is_never_shown(
    linking_site: Site, server: TrackerServer
) -> None:
    client = linking_site.sign_in()
    path = "/api/projects/shop/integrations"
    wrong = {
        "kind": "github",
        "base_url": server.url,
        "target": "acme/shop",
        "token": "a-token-that-is-wrong",
    }
    refused = asked(linking_site, "POST", path, 502, wrong)
    assert refused["error"] == "tracker_refused" and "rejected the token" in refused["message"]
    assert asked(linking_site, "GET", path, 200)["integrations"] == []
    integration_id = connected(linking_site, server)
    (shown,) = asked(linking_site, "GET", path, 200)["integrations"]
    assert shown["token_ending"] == TOKEN[-4:]
    page = client.get("/projects/shop/settings/integrations").text
    assert TOKEN[-4:] in page and TOKEN not in page and TOKEN not in str(shown)
    assert "Connected: GitHub" in asked(linking_site, "POST", f"{path}/{integration_id}/test", 200)["message"]
    asked(linking_site, "DELETE", f"{path}/{integration_id}", 204)
    assert (
        asked(linking_site, "POST", f"{path}/{integration_id}/test", 404)["error"] == "integration_not_found"
    )
    told = asked(linking_site, "GET", "/api/activity?kind=integration", 200)["activity"]
    assert [entry["action"] for entry in told] == ["integration.removed", "integration.added"]


def test_a_private_address_is_refused_where_the_operator_has_not_opened_it(
    live_site: Site, server: TrackerServer
) -> None:
    body = {"kind": "github", "base_url": server.url, "target": "acme/shop", "token": TOKEN}
    refused = asked(live_site, "POST", "/api/projects/shop/integrations", 400, body)
    assert refused["error"] == "address_refused"
    assert server.requests == []


def status_of(site: Site, issue_id: str) -> str:
    return str(asked(site, "GET", f"/api/issues/{issue_id}", 200)["status"])


def test_what_is_closed_there_is_resolved_here_if_the_integration_says_so(
    linking_site: Site, server: TrackerServer
) -> None:
    client = linking_site.sign_in()
    linking_site.deliver([an_event(kind, 1) for kind in ("KeyError", "ValueError")])
    known = issues(linking_site)
    part, whole = known["KeyError"], known["ValueError"]
    integration_id = connected(linking_site, server)
    made = asked(linking_site, "POST", f"/api/issues/{part}/links", 201, {"integration_id": integration_id})
    refreshed = f"/api/issues/{part}/links/{made['id']}/refresh"

    def change_there(state: str) -> None:
        server.issues[1]["state"] = state
        assert asked(linking_site, "POST", refreshed, 200)["is_open"] is (state == "open")

    change_there("closed")
    assert status_of(linking_site, part) == "unresolved"
    path = f"/api/projects/shop/integrations/{integration_id}"
    assert asked(linking_site, "PUT", path, 200, {"resolves": True})["resolves"] is True
    assert asked(linking_site, "PUT", path, 400, {"resolves": "yes"})["error"] == "invalid_parameter"
    # What was closed before stays as people left it.
    asked(linking_site, "POST", refreshed, 200)
    assert status_of(linking_site, part) == "unresolved"
    change_there("open")
    assert status_of(linking_site, part) == "unresolved"
    change_there("closed")
    assert status_of(linking_site, part) == "resolved"
    assert "GitHub acme/shop#1" in client.get(f"/projects/shop/issues/{part}?tab=activity").text
    change_there("open")
    assert status_of(linking_site, part) == "unresolved"
    # The issue that it is merged into has the state.
    asked(linking_site, "POST", f"/api/issues/{part}/merge", 200, {"into": whole})
    change_there("closed")
    assert status_of(linking_site, whole) == "resolved"
    # What people decide here is theirs: nothing happens there, so nothing happens here.
    body = {"ids": [whole], "action": "unresolve"}
    asked(linking_site, "POST", "/api/projects/shop/issues/actions", 200, body)
    asked(linking_site, "POST", refreshed, 200)
    assert status_of(linking_site, whole) == "unresolved"
    assert client.get("/projects/shop/settings/integrations").text.count('name="resolves" checked') == 1
