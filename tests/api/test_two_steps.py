"""Two-factor authentication over REST."""

import time

import pyotp
import pytest
from starlette.testclient import TestClient

from errata.state.users import Role
from tests.api.conftest import Api
from tests.authorization_table import LEVEL_OF, Level
from tests.people import joins
from tests.request_bodies import body_of, query_of

# What someone may ask for who has yet to set up the required second step.
OPEN_TO_THE_UNREADY = {
    "GET /api/auth/session",
    "GET /api/auth/organizations",
    "PUT /api/auth/organization",
    "POST /api/auth/confirm",
    "GET /api/auth/two-steps",
    "POST /api/auth/two-steps/secret",
    "POST /api/auth/two-steps",
}


def current_code(secret: str, steps: int = 0) -> str:
    return pyotp.TOTP(secret).at(int(time.time()) + 30 * steps)


def turned_on(api: Api) -> tuple[str, list[str]]:
    """The secret and the recovery codes; the client stays signed in."""
    csrf = api.sign_in()
    made = api.client.post("/api/auth/two-steps/secret", headers=csrf).json()
    assert pyotp.parse_uri(made["uri"]).secret == made["secret"]
    # The code before this one, so that the present one still signs in.
    given = {"code": current_code(made["secret"], -1)}
    answer = api.client.post("/api/auth/two-steps", json=given, headers=csrf)
    assert answer.status_code == 200, answer.text
    return made["secret"], answer.json()["recovery_codes"]


def credentials(api: Api) -> dict[str, str]:
    return {"email": api.account.email, "password": api.account.password}


def test_a_program_signs_in_with_password_and_code(api: Api) -> None:
    secret, _ = turned_on(api)
    api.client.cookies.clear()
    wrong = {**credentials(api), "password": "wrong"}
    assert api.error(401, "POST", "/api/auth/sign-in", json=wrong) == "invalid_credentials"
    assert "errata_sign_in_step" not in api.client.cookies
    assert api.error(401, "POST", "/api/auth/sign-in", json=credentials(api)) == "code_required"
    assert "errata_session" not in api.client.cookies
    assert api.error(401, "GET", "/api/auth/session") == "invalid_api_key"
    path = "/api/auth/sign-in/code"
    assert api.error(401, "POST", path, json={"code": "000000"}) == "invalid_code"
    foreign = {"Origin": "https://a.example"}
    assert api.error(403, "POST", path, json={"code": "000000"}, headers=foreign) == "csrf_failed"
    code = {"code": current_code(secret)}
    with TestClient(api.app) as other:
        # The browser that gave the password has the cookie; this one has not.
        assert other.post(path, json=code).json()["error"] == "sign_in_expired"
    answer = api.client.post(path, json=code)
    assert answer.status_code == 200 and answer.json()["email"] == api.account.email
    assert "errata_sign_in_step" not in api.client.cookies
    assert api.client.get("/api/auth/session").status_code == 200
    assert api.error(410, "POST", path, json=code) == "sign_in_expired"


def test_the_cookie_between_the_steps_is_out_of_reach_of_scripts(api: Api) -> None:
    turned_on(api)
    api.client.cookies.clear()
    header = api.client.post("/api/auth/sign-in", json=credentials(api)).headers["set-cookie"]
    assert header.startswith("errata_sign_in_step=")
    assert {"HttpOnly", "SameSite=lax", "Max-Age=300"} <= set(header.split("; "))


def test_a_form_is_led_through_both_steps(api: Api) -> None:
    secret, codes = turned_on(api)
    api.client.cookies.clear()
    asked = api.client.post("/api/auth/sign-in", data={**credentials(api), "next": "/projects"})
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in/code?next=%2Fprojects")
    path = "/api/auth/sign-in/code"
    wrong = api.client.post(path, data={"code": "000000", "next": "/projects"})
    assert wrong.headers["location"] == "/sign-in/code?error=invalid_code&next=%2Fprojects"
    right = api.client.post(path, data={"code": codes[0], "next": "https://elsewhere.example"})
    assert (right.status_code, right.headers["location"]) == (303, "/")
    again = api.client.post(path, data={"code": current_code(secret), "next": "/projects"})
    assert again.headers["location"] == "/sign-in?error=sign_in_expired&next=%2Fprojects"


def test_a_password_link_asks_for_the_code(api: Api) -> None:
    secret, _ = turned_on(api)
    csrf = {"X-CSRF-Token": api.client.get("/api/auth/session").json()["csrf_token"]}
    member = api.client.get("/api/members").json()["members"][0]
    assert member["has_two_steps"]
    made = api.client.post(f"/api/members/{member['id']}/password-link", headers=csrf).json()
    token = made["url"].rpartition("/")[2]
    api.client.cookies.clear()
    used = {"token": token, "password": "correct horse battery"}
    assert api.error(401, "POST", "/api/auth/link", json=used) == "code_required"
    assert api.error(401, "GET", "/api/auth/session") == "invalid_api_key"
    given = {"code": current_code(secret)}
    assert api.client.post("/api/auth/sign-in/code", json=given).status_code == 200


@pytest.mark.parametrize("path", ["/api/auth/two-steps/secret", "/api/auth/two-steps/off", "/api/two-steps"])
def test_changes_need_the_password_given_a_moment_ago(api: Api, path: str) -> None:
    csrf = api.sign_in()
    with api.store.database.writing() as connection:
        connection.exec_driver_sql("update web_sessions set confirmed_at = '2020-01-01 00:00:00'")
    method = "PUT" if path == "/api/two-steps" else "POST"
    body = {"is_required": True} if path == "/api/two-steps" else {"code": "000000"}
    assert api.error(403, method, path, json=body, headers=csrf) == "password_required"
    # The check of the password asks for no code.
    given = {"password": api.account.password}
    assert api.client.post("/api/auth/confirm", json=given, headers=csrf).status_code == 204
    assert api.client.request(method, path, json=body, headers=csrf).status_code in (200, 204, 409)


def test_a_person_turns_it_off_and_an_owner_does_for_others(api: Api) -> None:
    _, codes = turned_on(api)
    csrf = {"X-CSRF-Token": api.client.get("/api/auth/session").json()["csrf_token"]}
    shown = api.client.get("/api/auth/two-steps").json()
    assert shown["turned_on_at"] and shown["recovery_code_count"] == 10 and not shown["is_required"]
    path = "/api/auth/two-steps/recovery-codes"
    newer = api.client.post(path, json={"code": codes[0]}, headers=csrf).json()["recovery_codes"]
    off = "/api/auth/two-steps/off"
    assert api.error(401, "POST", off, json={"code": codes[1]}, headers=csrf) == "invalid_code"
    assert api.client.post(off, json={"code": newer[0]}, headers=csrf).status_code == 204
    turned_on(api)
    csrf = {"X-CSRF-Token": api.client.get("/api/auth/session").json()["csrf_token"]}
    # One's own takes a code.
    assert api.error(403, "DELETE", "/api/members/1/two-steps", headers=csrf) == "forbidden"
    password = api.store.passwords.add_user(1, "bob@example.org", Role.MEMBER, actor="test")
    theirs = api.store.sessions.sign_in("bob@example.org", password)
    assert theirs is not None
    api.store.two_steps.turn_on(theirs, current_code(api.store.two_steps.begin(theirs)))
    path = f"/api/members/{theirs.user_id}/two-steps"
    assert api.client.delete(path, headers=csrf).status_code == 204
    assert api.error(409, "DELETE", path, headers=csrf) == "two_steps_off"
    assert api.error(404, "DELETE", "/api/members/99/two-steps", headers=csrf) == "member_not_found"


def test_without_a_required_second_step_nothing_else_is_open(api: Api) -> None:
    csrf = api.sign_in()
    required = api.client.put("/api/two-steps", json={"is_required": True}, headers=csrf)
    assert required.status_code == 204
    openapi = api.app.openapi()
    asked = 0
    for route, level in LEVEL_OF.items():
        method, path = route.split(" ")
        if level in (Level.PUBLIC, Level.SENDER, Level.SDK, Level.KEY_HOLDER) or not path.startswith("/api/"):
            continue
        filled = path.replace(":path}", "}").replace("{", "").replace("}", "")
        address = filled + query_of(openapi, path, method)
        answer = api.client.request(method, address, headers=csrf, json=body_of(openapi, path, method))
        is_refused = answer.status_code == 403 and answer.json()["error"] == "two_steps_required"
        assert is_refused is (route not in OPEN_TO_THE_UNREADY), f"{route}: {answer.text}"
        asked += 1
        # A switch, even to the same organization, makes a new one.
        csrf = {"X-CSRF-Token": api.client.get("/api/auth/session").json()["csrf_token"]}
    assert asked > 100
    # Programs go on.
    assert api.client.get("/api/projects", headers=api.key).status_code == 200
    secret = api.client.post("/api/auth/two-steps/secret", headers=csrf).json()["secret"]
    given = {"code": current_code(secret)}
    assert api.client.post("/api/auth/two-steps", json=given, headers=csrf).status_code == 200
    assert api.client.get("/api/projects").status_code == 200


def test_an_organization_that_requires_a_second_step_holds_nobody_from_another_one(api: Api) -> None:
    beta = api.store.accounts.create("Beta", actor="test")[0]
    joins(api.store, beta.id, api.account.email)
    api.store.two_steps.require(beta.id, True, actor="test")
    csrf = api.sign_in()
    assert api.error(403, "GET", "/api/projects") == "two_steps_required"
    listed = api.client.get("/api/auth/organizations").json()["organizations"]
    (other,) = [each for each in listed if not each["is_current"]]
    given = {"organization_id": other["id"]}
    assert api.client.put("/api/auth/organization", json=given, headers=csrf).status_code == 200
    assert api.client.get("/api/projects").status_code == 200
