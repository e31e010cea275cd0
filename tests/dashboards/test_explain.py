"""`errata explain`: the statements of a page or of a query file, as they run."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from fastapi import FastAPI

from dashboards.explain import explained
from errata.__main__ import main
from errata.errors import InvalidParameter
from errata.state.errors import ProjectNotFound
from errata.up.explain import of_query
from errata.warehouse.roles import Role
from tests.builders import a_delivery, insert
from tests.dashboards.conftest import Site
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess


@pytest.fixture
def app(live_site: Site) -> FastAPI:
    app = live_site.client.app
    assert isinstance(app, FastAPI)
    return app


@pytest.mark.slow
def test_the_statements_of_a_page_run_as_they_are_printed(app: FastAPI, warehouse: WarehouseProcess) -> None:
    """Without anybody signed in, with the values of its address."""
    address = "/projects/shop/issues?sort=users&environment=production"
    printed = list(explained(app, address))
    names = [each.split(":")[0] for each in printed]
    assert {"-- issues_listed", "-- totals_held", "-- live_edge"} <= set(names)
    assert "-- published_versions" not in names
    read = warehouse.client(Role.READ)
    for each in printed:
        read.rows(each.removesuffix(";\n"))
    read.close()
    listed = list(explained(app, address, "issues_listed"))
    assert listed and all(each.startswith("-- issues_listed: ") for each in listed)
    assert any("'production'" in each for each in listed)


def test_a_query_has_its_project_and_the_published_versions(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    store, read = live_site.store, warehouse.client(Role.READ)
    (project_id,) = store.projects.ids()
    insert(warehouse.client(Role.INGEST), "errata_raw.deliveries", [a_delivery(project_id=project_id)])
    build_marts(warehouse, "delivery_daily")
    for slug in ("", "shop"):
        text = of_query(store, read, "hosts_of_delivery", slug)
        assert text.startswith("-- hosts_of_delivery: ")
        assert f"log_comment = '{project_id}'" in text
        assert "additional_table_filters = {'errata_mart.delivery_daily': 'version in (" in text
        # What its page would choose stays open.
        assert "{since:" in text
    with pytest.raises(ProjectNotFound):
        of_query(store, read, "hosts_of_delivery", "nowhere")
    read.close()


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("/projects/nowhere/issues", ProjectNotFound),
        ("/api/projects", ProjectNotFound),
        ("/projects/shop/nothing", InvalidParameter),
        ("https://example.org/projects/shop/issues", InvalidParameter),
    ],
)
def test_an_address_of_no_page_is_refused(app: FastAPI, address: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        list(explained(app, address))


def test_the_command_asks_the_pages_of_its_service(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Sequence[str]] = []

    def call(arguments: Sequence[str], env: dict[str, str]) -> int:
        assert env["ERRATA_WAREHOUSE_URL"] == env["ERRATA_WAREHOUSE_READ_URL"] == "http://127.0.0.1:1"
        asked.append(arguments[1:])
        return 0

    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setenv("ERRATA_WAREHOUSE_READ_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ERRATA_SECRET", "s" * 32)
    own = ["explain", "--data", str(tmp_path)]
    assert main(own) == 2
    assert "errata explain QUERY" in capsys.readouterr().err
    assert main([*own, "no_such"]) == 1
    assert main([*own, "--address", "/projects/shop/issues", "issues_listed"]) == 0
    assert asked == [["-m", "dashboards.explain", "/projects/shop/issues", "issues_listed"]]
