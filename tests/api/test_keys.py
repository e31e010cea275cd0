import pytest
from sqlalchemy import insert

from errata.state.activity_actions import Action, Activity
from tests.api.conftest import Api


def test_a_valid_key_is_verified_with_its_organization_and_age(api: Api) -> None:
    answer = api.client.get("/api/auth/verify", headers=api.key)
    assert answer.status_code == 200
    owner = api.store.keys.api.owner(api.account.api_key)
    assert owner is not None
    created_at = owner.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert answer.json() == {
        "valid": True,
        "organization": "Acme",
        "created_at": created_at.replace(".000Z", "Z"),
    }


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer errata_api_wrong",
        "Bearer  {api_key}",
        "Bearer {api_key} ",
        "Bearer {api_key} x",
        "Bearer {api_key}x",
        "Bearer {app_key}",
        "Basic {api_key}",
        "{api_key}",
    ],
)
def test_anything_else_is_an_invalid_api_key(api: Api, header: str | None) -> None:
    keys = {"api_key": api.account.api_key, "app_key": api.account.app_key}
    headers = {} if header is None else {"Authorization": header.format(**keys)}
    for path in ("/api/auth/verify", "/api/projects", "/api/activity", "/api/api-key"):
        assert api.error(401, "GET", path, headers=headers) == "invalid_api_key"
    body = api.client.get("/api/auth/verify", headers=headers).json()
    assert body["valid"] is False and body["message"] == "Invalid API Key"
    assert "valid" not in api.client.get("/api/projects", headers=headers).json()


def test_a_wrong_key_is_not_mended_by_a_session(api: Api) -> None:
    api.sign_in()
    assert api.error(401, "GET", "/api/projects", headers={"Authorization": "Bearer x"}) == "invalid_api_key"
    assert api.error(401, "GET", "/api/auth/verify") == "invalid_api_key"


def test_an_owner_regenerates_the_key_and_the_old_one_fails_at_once(api: Api) -> None:
    csrf = api.sign_in()
    issued = api.client.post("/api/api-key/regenerate", headers=csrf).json()
    assert api.error(401, "GET", "/api/auth/verify", headers=api.key) == "invalid_api_key"
    fresh = {"Authorization": f"Bearer {issued['api_key']}"}
    assert api.client.get("/api/auth/verify", headers=fresh).json()["valid"] is True
    shown = api.client.get("/api/api-key", headers=fresh).json()
    assert shown["prefix"] == issued["prefix"] and issued["api_key"].startswith(shown["prefix"])
    assert issued["api_key"] not in str(shown)


def test_a_key_cannot_regenerate_itself(api: Api) -> None:
    assert api.error(403, "POST", "/api/api-key/regenerate", headers=api.key) == "forbidden"


def test_the_activity_log_shows_key_actions_page_by_page(api: Api) -> None:
    csrf = api.sign_in()
    api.client.get("/api/auth/verify", headers=api.key)
    api.client.post("/api/api-key/regenerate", headers=csrf)
    first = api.client.get("/api/activity?kind=api_key&limit=2").json()
    second = api.client.get(
        "/api/activity", params={"kind": "api_key", "limit": 2, "cursor": first["next_cursor"]}
    ).json()
    actions = [entry["action"] for entry in first["activity"] + second["activity"]]
    assert actions == ["api_key.regenerated", "api_key.used", "api_key.created"]
    assert second["next_cursor"] is None
    assert first["activity"][0]["actor"] == "owner@example.org"
    assert api.error(400, "GET", "/api/activity?kind=nothing") == "invalid_parameter"
    assert api.error(400, "GET", "/api/activity?cursor=nothing") == "invalid_parameter"
    assert api.error(400, "GET", "/api/activity?limit=201") == "invalid_parameter"


@pytest.mark.slow
def test_every_kind_that_is_written_can_be_filtered_by(api: Api) -> None:
    owner = api.store.keys.api.owner(api.account.api_key)
    assert owner is not None
    with api.store.database.writing() as connection:
        written = {
            "organization_id": owner.organization_id,
            "at": api.store.now(),
            "actor": "owner@example.org",
        }
        rows = [written | {"action": action.value, "subject": "", "key_prefix": ""} for action in Action]
        connection.execute(insert(Activity), rows)
    schema = api.client.get("/api/openapi.json").json()
    (kind,) = (
        each for each in schema["paths"]["/api/activity"]["get"]["parameters"] if each["name"] == "kind"
    )
    found = {
        offered: {
            entry["action"]
            for entry in api.client.get(
                "/api/activity", params={"kind": offered, "limit": 200}, headers=api.key
            ).json()["activity"]
        }
        for offered in kind["schema"]["enum"]
    }
    assert found.pop("") == {action.value for action in Action}
    assert found["report_schedule"] == {
        f"report_schedule.{word}" for word in ("created", "changed", "deleted")
    }
    assert set().union(*found.values()) == {action.value for action in Action}
    for offered, actions in found.items():
        assert actions and all(action.startswith(f"{offered}.") for action in actions)
