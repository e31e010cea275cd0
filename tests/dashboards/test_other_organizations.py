"""An issue, an event and a page load are unknown to another organization, whose pages and API work."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert

from errata.state.organization import Organization
from errata.state.users import Role
from tests.authorization_table import LEVEL_OF, Level
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_performance
from tests.people import joins
from tests.processes import WarehouseProcess
from tests.request_bodies import body_of, query_of

VARIABLES = ("{issue_id}", "{event_id}", "{id}", "{view_id}")
ROUTES = [route.split(" ") for route in LEVEL_OF if any(name in route for name in VARIABLES)]


@pytest.mark.slow
def test_what_is_of_one_organization_is_unknown_to_another(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    live_site.deliver(event_lines("javascript_errors", since_capture())[:3])
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    own = {"Authorization": f"Bearer {live_site.account.api_key}"}
    values = names(live_site, own)
    key = {"Authorization": f"Bearer {other_organization(live_site)}"}
    openapi = live_site.client.get("/api/openapi.json").json()
    asked = 0
    for method, path in ROUTES:
        # No program is a person.
        if not path.startswith("/api/") or LEVEL_OF[f"{method} {path}"] is Level.PERSON:
            continue
        address = path.format(**values) + query_of(openapi, path, method)
        body = body_of(openapi, path, method)
        refused = live_site.client.request(method, address, headers=key, json=body)
        assert refused.status_code == 404, (method, path, refused.text)
        asked += 1
        if method == "GET":
            answer = live_site.client.get(address, headers=own)
            # Of two events that a comparison names none exists.
            assert answer.status_code == 200 or path.endswith("/compare"), (path, answer.text)
    assert asked > 20

    colleague = limited_colleague(live_site)
    for method, path in ROUTES:
        if path.startswith("/api/"):
            address = path.format(**values) + query_of(openapi, path, method)
            body = body_of(openapi, path, method)
            refused = live_site.client.request(method, address, headers=colleague, json=body)
            assert refused.status_code == 404, (method, path, refused.text)

    live_site.client.cookies.clear()
    live_site.sign_in()
    pages = [path for method, path in ROUTES if method == "GET" and not path.startswith("/api/")]
    for path in pages:
        assert live_site.client.get(path.format(**values)).status_code == 200, path
    live_site.client.cookies.clear()
    given = {"email": "owner@other.example", "password": live_site.account.password}
    assert live_site.client.post("/api/auth/sign-in", json=given).status_code == 200
    assert live_site.client.get("/projects/elsewhere/issues").status_code == 200
    for path in pages:
        answer = live_site.client.get(path.format(**values))
        assert answer.status_code == 404, path
        live_site.client.cookies.clear()
        answer = live_site.client.get(path.format(**values), headers=colleague)
        assert answer.status_code == 404, path
        assert live_site.client.post("/api/auth/sign-in", json=given).status_code == 200
        elsewhere = live_site.client.get(path.format(**values | {"slug": "elsewhere"}))
        assert elsewhere.status_code == 404, path


def limited_colleague(site: Site) -> dict[str, str]:
    """Headers of a member of the same organization who sees another project alone."""
    created = site.store.projects.create(1, "Another", actor="test")
    joins(site.store, 1, "colleague@example.org", Role.MEMBER, [created.project.id])
    session = site.store.sessions.sign_in("colleague@example.org", site.account.password)
    assert session is not None and session.project_ids == frozenset([created.project.id])
    return {"Cookie": f"errata_session={session.token}", "X-CSRF-Token": session.csrf_token}


def names(site: Site, own: dict[str, str]) -> dict[str, str]:
    """What paths name, of what was delivered."""

    def first(path: str, field: str) -> dict[str, str]:
        found: dict[str, str] = site.client.get(path, headers=own).json()[field][0]
        return found

    issue_id = first("/api/projects/shop/issues", "issues")["id"]
    event_id = first(f"/api/issues/{issue_id}/events", "events")["event_id"]
    view_id = first("/api/projects/shop/performance/loads?page=/checkout", "loads")["view_id"]
    return {
        "slug": "shop",
        "issue_id": issue_id,
        "event_id": event_id,
        "id": view_id,
        "view_id": view_id,
        "action": "resolve",
        "comment_id": "0" * 32,
        "link_id": "0" * 32,
    }


def other_organization(site: Site) -> str:
    """Its API key; its owner has the password of the first one."""
    store, now = site.store, datetime.now(UTC)
    with store.database.writing() as connection:
        connection.execute(insert(Organization).values(id=99, name="Other Ltd", created_at=now))
    joins(store, 99, "owner@other.example", Role.OWNER)
    store.projects.create(99, "Elsewhere", actor="test")
    return store.keys.api.regenerate(99, actor="test").key
