import pytest

from tests.api.conftest import Api


def test_projects_are_listed_with_exactly_the_named_fields(api: Api) -> None:
    (project,) = api.client.get("/api/projects", headers=api.key).json()["projects"]
    assert set(project) == {"id", "slug", "name", "platform", "app_key_prefix", "created_at"}
    assert (project["slug"], project["name"]) == ("web-shop", "Web shop")
    assert api.account.app_key.startswith(project["app_key_prefix"])
    assert api.client.get("/api/projects/web-shop", headers=api.key).json() == project


def test_a_created_project_is_listed_and_its_key_routes(api: Api) -> None:
    wanted = {"name": "Billing Service", "platform": "python"}
    answer = api.client.post("/api/projects", json=wanted, headers=api.key)
    assert answer.status_code == 201
    created = answer.json()
    assert created["slug"] == "billing-service" and created["platform"] == "python"
    owner = api.store.keys.api.owner(api.account.api_key)
    assert owner is not None
    assert (
        api.store.keys.app.routes(owner.organization_id, [created["app_key"]])[created["app_key"]].project_id
        == created["id"]
    )
    assert api.error(409, "POST", "/api/projects", json=wanted, headers=api.key) == "project_exists"
    listed = api.client.get("/api/projects", headers=api.key).json()["projects"]
    assert [project["slug"] for project in listed] == ["billing-service", "web-shop"]


@pytest.mark.parametrize("slug", ["nothing", "web_shop", "Web-Shop", "%00", "a%2Fb", "..%2f", "%F0%9F%92%A9"])
def test_an_unknown_project_is_not_found(api: Api, slug: str) -> None:
    code = api.error(404, "GET", f"/api/projects/{slug}", headers=api.key)
    assert code in {"project_not_found", "not_found"}
    assert api.error(404, "GET", "/api/projects/nothing/app-keys", headers=api.key) == "project_not_found"


def test_application_keys_are_added_replaced_and_revoked(api: Api) -> None:
    keys = "/api/projects/web-shop/app-keys"
    added = api.client.post(keys, json={"service": "worker"}, headers=api.key)
    assert added.status_code == 201 and added.json()["app_key"].startswith("errata_app_worker_")
    assert api.error(409, "POST", keys, json={"service": "worker"}, headers=api.key) == "app_key_exists"
    assert api.error(400, "POST", keys, json={"service": "No Good"}, headers=api.key) == "invalid_parameter"

    own = api.client.post(f"{keys}/regenerate", headers=api.key).json()
    assert own["service"] == "" and own["app_key"] != api.account.app_key
    again = api.client.post(f"{keys}/regenerate", json={"service": "worker"}, headers=api.key).json()
    assert again["service"] == "worker"
    unknown = {"service": "nobody"}
    assert api.error(404, "POST", f"{keys}/regenerate", json=unknown, headers=api.key) == "app_key_not_found"

    assert api.client.delete(f"{keys}/{again['id']}", headers=api.key).status_code == 204
    assert api.error(404, "DELETE", f"{keys}/{again['id']}", headers=api.key) == "app_key_not_found"
    for impossible in ("0", "-1", "x", str(1 << 31), str(1 << 70)):
        assert api.error(400, "DELETE", f"{keys}/{impossible}", headers=api.key) == "invalid_parameter"
    listed = api.client.get(keys, headers=api.key).json()["app_keys"]
    states = {(key["service"], key["state"]) for key in listed}
    assert states == {("", "current"), ("", "replaced"), ("worker", "replaced"), ("worker", "revoked")}
