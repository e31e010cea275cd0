"""Keys over REST: viewed and changed just after the password was given; replaced on two nodes at once."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, SECRET, Api
from tests.postgres import PostgresServer

PROTECTED = (
    ("POST", "/api/api-key/view"),
    ("POST", "/api/api-key/regenerate"),
    ("POST", "/api/api-key/next"),
    ("POST", "/api/api-key/next/view"),
    ("POST", "/api/api-key/next/promote"),
    ("POST", "/api/projects/web-shop/app-keys/1/view"),
    ("POST", "/api/projects/web-shop/app-keys/regenerate"),
)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize(("method", "path"), PROTECTED)
def test_a_session_that_is_not_confirmed_neither_sees_nor_changes_keys(
    api: Api, method: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    csrf = api.sign_in()
    with api.store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")
    assert api.error(403, method, path, headers=csrf) == "password_required"
    wrong = {"password": "wrong"}
    assert api.error(401, "POST", "/api/auth/confirm", json=wrong, headers=csrf) == "invalid_credentials"
    assert api.error(403, method, path, headers=csrf) == "password_required"
    right = {"password": api.account.password}
    assert api.client.post("/api/auth/confirm", json=right, headers=csrf).status_code == 204
    assert api.client.request(method, path, headers=csrf).status_code in {200, 201, 404}


@pytest.mark.parametrize(("method", "path"), PROTECTED[:-1])
def test_no_key_shows_or_changes_keys(api: Api, method: str, path: str) -> None:
    assert api.error(403, method, path, headers=api.key) == "forbidden"


def test_a_key_is_prepared_viewed_and_promoted(api: Api) -> None:
    csrf = api.sign_in()
    issued = api.client.post("/api/api-key/next", headers=csrf)
    assert issued.status_code == 201
    following = issued.json()
    assert api.client.get("/api/api-key", headers=bearer(following["api_key"])).json()["next"] == {
        "prefix": following["prefix"],
        "created_at": following["created_at"],
        "last_used_at": api.client.get("/api/api-key").json()["next"]["last_used_at"],
    }
    assert api.error(409, "POST", "/api/api-key/next", headers=csrf) == "next_key_exists"
    viewed = [api.client.post(f"/api/api-key/{path}view", headers=csrf).json() for path in ("", "next/")]
    assert [each["api_key"] for each in viewed] == [api.account.api_key, following["api_key"]]
    promoted = api.client.post("/api/api-key/next/promote", headers=csrf).json()
    assert promoted["prefix"] == following["prefix"]
    assert api.error(401, "GET", "/api/projects", headers=api.key) == "invalid_api_key"
    assert api.client.get("/api/projects", headers=bearer(following["api_key"])).status_code == 200
    assert api.error(404, "DELETE", "/api/api-key/next", headers=csrf) == "next_key_not_found"
    told = api.client.get("/api/activity?kind=api_key").json()["activity"]
    assert [entry["action"] for entry in told if entry["action"] != "api_key.used"] == [
        "api_key.promoted",
        "api_key.viewed",
        "api_key.viewed",
        "api_key.prepared",
        "api_key.created",
    ]


def test_an_old_key_is_to_be_rotated(api: Api) -> None:
    shown = api.client.get("/api/api-key", headers=api.key).json()
    lasts = datetime.fromisoformat(shown["rotate_by"]) - datetime.fromisoformat(shown["created_at"])
    assert lasts == timedelta(days=90)
    away = Warehouse(NOWHERE)
    with TestClient(create_app(ApiSettings(key_days=0), api.store, away, away)) as client:
        assert client.get("/api/api-key", headers=api.key).json()["rotate_by"] is None


@pytest.fixture
def nodes(postgres: PostgresServer) -> Iterator[tuple[list[TestClient], FirstAccount]]:
    """Two nodes, each with a connection of its own to one PostgreSQL."""
    url = postgres.create_database()
    stores = [Store.open(url, SECRET) for _ in range(2)]
    stores[0].migrate()
    account = stores[0].accounts.create_first("Acme", "Web shop", "owner@example.org")
    away = Warehouse(NOWHERE)
    apps = [create_app(ApiSettings(), store, away, away) for store in stores]
    with TestClient(apps[0]) as first, TestClient(apps[1]) as second:
        yield [first, second], account
    for store in stores:
        store.close()


@pytest.mark.parametrize("path", ["/api/api-key/regenerate", "/api/api-key/next/promote"])
def test_a_replaced_key_fails_on_both_nodes_at_the_next_request(
    nodes: tuple[list[TestClient], FirstAccount], path: str
) -> None:
    (first, second), account = nodes
    signed_in = first.post(
        "/api/auth/sign-in", json={"email": account.email, "password": account.password}
    ).json()
    csrf = {"X-CSRF-Token": signed_in["csrf_token"]}
    new = first.post("/api/api-key/next", headers=csrf).json()["api_key"]
    for node in (first, second):
        for key in (account.api_key, new):
            assert node.get("/api/auth/verify", headers=bearer(key)).status_code == 200
    new = first.post(path, headers=csrf).json().get("api_key", new)
    for node in (second, first):
        assert node.get("/api/auth/verify", headers=bearer(account.api_key)).status_code == 401
        assert node.get("/api/auth/verify", headers=bearer(new)).status_code == 200
