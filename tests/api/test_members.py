"""Roles and removal over REST, on two nodes."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.users import Role
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, SECRET, Api
from tests.people import joins

BOB = "bob@example.org"


@pytest.fixture
def other_node(api: Api, prepared_url: str) -> Iterator[TestClient]:
    """Another process's view of the same store."""
    joins(api.store, 1, BOB, Role.OWNER)
    other = Store.open(prepared_url, SECRET)
    app = create_app(ApiSettings(), other, Warehouse(NOWHERE), Warehouse(NOWHERE))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client
    other.close()


def member_id(api: Api, email: str) -> int:
    listed = api.client.get("/api/members", headers=api.key).json()["members"]
    return int(next(each["id"] for each in listed if each["email"] == email))


def test_a_demoted_and_a_removed_user_are_refused_at_the_next_request(
    api: Api, other_node: TestClient
) -> None:
    given = {"email": BOB, "password": api.account.password}
    signed_in = other_node.post("/api/auth/sign-in", json=given).json()
    csrf = {"X-CSRF-Token": signed_in["csrf_token"]}
    project = "/api/projects/web-shop"
    renamed = {"name": "Shop", "platform": ""}
    assert other_node.put(project, json=renamed, headers=csrf).status_code == 200

    owner, path = api.sign_in(), f"/api/members/{member_id(api, BOB)}"
    for role in ("member", "viewer"):
        assert api.client.put(path, json={"role": role}, headers=owner).status_code == 204
        assert other_node.put(project, json=renamed, headers=csrf).status_code == 403
        assert other_node.get("/api/auth/session").json()["role"] == role
    assert other_node.get(project).status_code == 200
    zone = {"time_zone": "Europe/Berlin"}
    assert other_node.put("/api/auth/time-zone", json=zone, headers=csrf).status_code == 204

    assert api.client.delete(path, headers=owner).status_code == 204
    assert other_node.get(project).status_code == 401
    assert api.error(404, "DELETE", path, headers=owner) == "member_not_found"
    log = api.client.get("/api/activity?kind=user").json()["activity"]
    assert [entry["action"] for entry in log][:3] == ["user.removed", *["user.role_changed"] * 2]


def test_the_last_owner_stays(api: Api) -> None:
    owner, path = api.sign_in(), f"/api/members/{member_id(api, api.account.email)}"
    wanted = {"role": "viewer"}
    assert api.error(409, "PUT", path, json=wanted, headers=owner) == "last_owner"
    assert api.error(409, "DELETE", path, headers=owner) == "last_owner"
    assert api.error(400, "PUT", path, json={"role": "king"}, headers=owner) == "invalid_parameter"
    assert api.client.get("/api/auth/session").json()["role"] == "owner"


def test_people_are_listed_without_projects_that_the_caller_does_not_see(api: Api) -> None:
    secret = api.store.projects.create(1, "Secret plans", actor="test").project
    known = next(each for each in api.store.projects.of_organization(1) if each.slug == "web-shop")
    joins(api.store, 1, BOB, Role.VIEWER, [known.id])
    joins(api.store, 1, "cleo@example.org", Role.MEMBER, [known.id, secret.id])

    def projects() -> dict[str, list[str] | None]:
        listed = api.client.get("/api/members").json()["members"]
        return {each["email"]: each["projects"] for each in listed}

    api.sign_in()
    assert projects()["cleo@example.org"] == ["secret-plans", "web-shop"]
    given = {"email": BOB, "password": api.account.password}
    assert api.client.post("/api/auth/sign-in", json=given).status_code == 200
    assert projects() == {api.account.email: None, BOB: ["web-shop"], "cleo@example.org": ["web-shop"]}
