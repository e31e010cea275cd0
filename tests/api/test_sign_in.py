from http.cookies import Morsel, SimpleCookie
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.local_path import local_path
from api.settings import ApiSettings
from errata.state.errors import StateUnavailable
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Api
from tests.cases import each


def cookie(header: str) -> "Morsel[str]":
    return SimpleCookie(header)["errata_session"]


def test_a_session_reads_and_with_its_token_changes(api: Api) -> None:
    csrf = api.sign_in()
    assert len(api.client.get("/api/projects").json()["projects"]) == 1
    assert api.error(403, "POST", "/api/projects", json={"name": "Two"}) == "csrf_failed"
    wrong = {"X-CSRF-Token": b"\xc3\xbc"}
    assert api.error(403, "POST", "/api/projects", json={"name": "Two"}, headers=wrong) == "csrf_failed"
    assert api.client.post("/api/projects", json={"name": "Two"}, headers=csrf).status_code == 201
    session = api.client.get("/api/auth/session").json()
    assert (session["email"], session["role"], session["organization"]) == (
        "owner@example.org",
        "owner",
        "Acme",
    )
    assert session["csrf_token"] == csrf["X-CSRF-Token"]


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(api: Api) -> None:
    given = {"email": api.account.email, "password": api.account.password}
    plain = cookie(api.client.post("/api/auth/sign-in", json=given).headers["set-cookie"])
    assert plain["httponly"] and plain["samesite"].lower() == "lax" and plain["path"] == "/"
    assert not plain["secure"] and plain["expires"]
    secure_app = create_app(
        ApiSettings(),
        api.store,
        Warehouse(NOWHERE),
        Warehouse(NOWHERE),
        base_url="https://errata.example.org",
    )
    with TestClient(secure_app) as client:
        assert cookie(client.post("/api/auth/sign-in", json=given).headers["set-cookie"])["secure"]


def test_signing_out_needs_the_token_and_ends_the_session(api: Api) -> None:
    csrf = api.sign_in()
    assert api.error(403, "POST", "/api/auth/sign-out") == "csrf_failed"
    assert api.client.post("/api/auth/sign-out", headers=csrf).status_code == 204
    assert api.error(401, "GET", "/api/auth/session") == "invalid_api_key"
    assert api.client.post("/api/auth/sign-out").status_code == 204


def test_a_wrong_password_is_refused_and_guessing_is_limited(api: Api) -> None:
    wrong = {"email": api.account.email, "password": "wrong"}
    for _ in range(10):
        assert api.error(401, "POST", "/api/auth/sign-in", json=wrong) == "invalid_credentials"
    assert api.error(429, "POST", "/api/auth/sign-in", json=wrong) == "rate_limited"
    assert int(api.client.post("/api/auth/sign-in", json=wrong).headers["Retry-After"]) > 0


@pytest.mark.parametrize("body", [{}, {"email": "a@b.c"}, {"email": 7, "password": "x"}, [], "x"])
def test_incomplete_credentials_are_an_invalid_parameter(api: Api, body: object) -> None:
    assert api.error(400, "POST", "/api/auth/sign-in", json=body) == "invalid_parameter"


def test_a_form_is_led_on_to_the_page_it_came_for(api: Api) -> None:
    given = {"email": api.account.email, "password": api.account.password, "next": "/issues?status=open"}
    answer = api.client.post("/api/auth/sign-in", data=given)
    assert (answer.status_code, answer.headers["location"]) == (303, "/issues?status=open")
    csrf_token = api.client.get("/api/auth/session").json()["csrf_token"]
    assert api.error(403, "POST", "/api/auth/sign-out", data={"csrf_token": "wrong"}) == "csrf_failed"
    answer = api.client.post("/api/auth/sign-out", data={"csrf_token": csrf_token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_a_form_with_a_wrong_password_is_led_back(api: Api) -> None:
    given = {"email": api.account.email, "password": "wrong", "next": "https://elsewhere.example"}
    answer = api.client.post("/api/auth/sign-in", data=given)
    assert answer.status_code == 303 and "errata_session" not in answer.headers["set-cookie"]
    location = urlsplit(answer.headers["location"])
    assert location.path == "/sign-in"
    assert parse_qs(location.query) == {"error": ["invalid_credentials"], "next": ["/"]}


@each(
    "path",
    [
        "https://a.example",
        "//a.example",
        "/\\a.example",
        "\\\\a.example",
        "a",
        "",
        "javascript:x",
        "/\n/a.example",
        "/\t/a",
    ],
)
def test_only_pages_of_ours_are_led_to(path: str) -> None:
    assert local_path(path) == "/"
    assert local_path("/projects/a?b=c#d") == "/projects/a?b=c#d"


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://a.example"},
        {"Origin": "null"},
    ],
)
def test_another_site_cannot_sign_a_browser_in(api: Api, headers: dict[str, str]) -> None:
    given = {"email": api.account.email, "password": api.account.password}
    assert api.error(403, "POST", "/api/auth/sign-in", json=given, headers=headers) == "csrf_failed"


def test_a_changed_password_works_and_the_old_one_does_not(api: Api) -> None:
    csrf = api.sign_in()
    path, wanted = "/api/auth/password", "a much better one"
    wrong = {"current_password": "wrong", "new_password": wanted}
    assert api.error(401, "POST", path, json=wrong, headers=csrf) == "invalid_credentials"
    short = {"current_password": api.account.password, "new_password": "short"}
    assert api.error(400, "POST", path, json=short, headers=csrf) == "weak_password"
    change = {"current_password": api.account.password, "new_password": wanted}
    assert api.error(403, "POST", path, json=change) == "csrf_failed"
    assert api.error(403, "POST", path, json=change, headers=api.key) == "forbidden"
    assert api.client.post(path, json=change, headers=csrf).status_code == 204
    assert api.store.sessions.sign_in(api.account.email, wanted) is not None


def test_a_member_looks_and_an_owner_changes(api: Api) -> None:
    csrf = api.sign_in()
    with api.store.database.writing() as connection:
        connection.exec_driver_sql("update memberships set role = 'member'")
    assert api.client.get("/api/projects").status_code == 200
    assert api.error(403, "POST", "/api/projects", json={"name": "Two"}, headers=csrf) == "forbidden"
    assert api.error(403, "POST", "/api/api-key/regenerate", headers=csrf) == "forbidden"


def test_when_the_store_is_locked_the_answer_is_to_come_back(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise StateUnavailable("locked")

    monkeypatch.setattr(api.store.database, "reading", locked)
    assert api.error(503, "GET", "/api/projects", headers=api.key) == "state_unavailable"
