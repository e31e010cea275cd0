import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_dependant
from starlette.testclient import TestClient

import api.app as app_module
from api.app import Mounted, from_environment, prepare_routes
from errata.errors import UnknownSettings
from errata.state import Store
from tests.api.conftest import NOWHERE, Api


def test_mounted_under_pages_it_answers_as_it_does_alone(api: Api) -> None:
    pages = FastAPI(openapi_url=None)
    pages.mount("/api", Mounted(api.app))

    @pages.get("/page")
    def page() -> str:
        return "a page"

    with TestClient(pages) as client:
        assert client.get("/page").json() == "a page"
        assert client.get("/api/auth/verify", headers=api.key).json()["valid"] is True
        assert client.get("/api/nothing").json()["error"] == "not_found"
        assert client.put("/api/projects").headers["Allow"] == "GET, POST"
        assert "/api/projects" in client.get("/api/openapi.json").json()["paths"]


def test_the_environment_makes_a_working_application(tmp_path: Path) -> None:
    environ = {
        "ERRATA_WAREHOUSE_URL": NOWHERE,
        "ERRATA_STATE_URL": f"sqlite:///{tmp_path}/state.db",
        "ERRATA_SECRET": "s" * 48,
    }
    store = Store.open(environ["ERRATA_STATE_URL"], environ["ERRATA_SECRET"].encode())
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    store.close()
    with TestClient(from_environment(environ)) as client:
        key = {"Authorization": f"Bearer {account.api_key}"}
        assert client.get("/api/auth/verify", headers=key).json()["organization"] == "Acme"
    with pytest.raises(UnknownSettings):
        from_environment({**environ, "ERRATA_API_LINE_MAX": "1"})
    with pytest.raises(AttributeError):
        _ = app_module.nothing


@pytest.mark.slow
def test_importing_the_module_needs_no_environment() -> None:
    subprocess.run(
        [sys.executable, "-c", "import api.app"], check=True, env={}, cwd=Path(__file__).parents[2]
    )


def test_the_lifespan_can_be_run_by_who_mounts_it(api: Api) -> None:
    async def run() -> None:
        async with api.app.router.lifespan_context(api.app):
            pass

    asyncio.run(run())


@pytest.mark.parametrize("is_prepared", [True, False])
def test_no_request_waits_for_routes_that_are_not_prepared(
    is_prepared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = APIRouter()
    router.add_api_route("/late", lambda: "here")
    app = FastAPI()
    app.include_router(router)
    if is_prepared:
        prepare_routes(app)
    late: list[str] = []

    def prepared_late(*, path: str, call: Callable[..., object], **rest: Any) -> Dependant:
        late.append(path)
        return get_dependant(path=path, call=call, **rest)

    monkeypatch.setattr("fastapi.routing.get_dependant", prepared_late)
    assert TestClient(app).get("/late").json() == "here"
    assert late == ([] if is_prepared else ["/late"])
