import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Api, Prepared


@pytest.fixture
def kept(tmp_path: Path, prepared: Prepared) -> Path:
    """`credentials.json` as the first start writes it."""
    account = prepared.account
    known = {name: getattr(account, name) for name in ("api_key", "app_key", "project", "email", "password")}
    path = tmp_path / "credentials.json"
    path.write_text(json.dumps({"base_url": "http://127.0.0.1:8000", **known}))
    return path


@pytest.fixture
def api(store: Store, prepared: Prepared, kept: Path) -> Iterator[Api]:
    away = Warehouse(NOWHERE)
    app = create_app(ApiSettings(), store, away, away, credentials_path=kept)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, prepared.account)


def regenerated(api: Api, path: str, name: str) -> str:
    answer = api.client.post(path, headers=api.sign_in())
    assert answer.status_code == 200, answer.text
    return str(answer.json()[name])


def test_a_regenerated_key_is_the_one_in_the_file(api: Api, kept: Path) -> None:
    before = json.loads(kept.read_text())
    api_key = regenerated(api, "/api/api-key/regenerate", "api_key")
    app_key = regenerated(api, "/api/projects/web-shop/app-keys/regenerate", "app_key")
    assert json.loads(kept.read_text()) == before | {"api_key": api_key, "app_key": app_key}
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    shown = {"Authorization": f"Bearer {json.loads(kept.read_text())['api_key']}"}
    assert api.client.get("/api/auth/verify", headers=shown).json()["valid"]


def test_keys_of_other_projects_and_services_stay_out_of_it(api: Api, kept: Path) -> None:
    before = kept.read_text()
    assert api.client.post("/api/projects", json={"name": "Other"}, headers=api.key).status_code == 201
    regenerated(api, "/api/projects/other/app-keys/regenerate", "app_key")
    wanted = {"service": "worker"}
    path = "/api/projects/web-shop/app-keys"
    assert api.client.post(path, json=wanted, headers=api.key).status_code == 201
    assert api.client.post(f"{path}/regenerate", json=wanted, headers=api.key).status_code == 200
    assert kept.read_text() == before


@pytest.mark.parametrize("left", ["", "{", "{}", '{"project": "web-shop"}', "[]"])
def test_what_somebody_took_out_stays_out_and_hinders_nobody(api: Api, kept: Path, left: str) -> None:
    kept.write_text(left)
    regenerated(api, "/api/api-key/regenerate", "api_key")
    assert kept.read_text() == left
    kept.unlink()
    regenerated(api, "/api/api-key/regenerate", "api_key")
    assert not kept.exists()
