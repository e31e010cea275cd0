"""The doctor follows each setting of the environment to where it leads."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.doctor.examination import findings
from errata.doctor.finding import Finding
from errata.state import Store
from errata.state.database import Database
from errata.state.heartbeats import STALE_AFTER, note_heartbeat
from errata.up.data_directory import DataDirectory
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.balancer import balanced
from tests.bare_server import MigratedServer, migrated_server
from tests.postgres import PostgresServer
from tests.processes import free_port

URLS = {
    "ERRATA_WAREHOUSE_ADMIN_URL": Role.ADMIN,
    "ERRATA_WAREHOUSE_URL": Role.INGEST,
    "ERRATA_WAREHOUSE_BUILD_URL": Role.BUILD,
    "ERRATA_WAREHOUSE_READ_URL": Role.READ,
    "ERRATA_WAREHOUSE_ANALYST_URL": Role.ANALYST,
}
PASSWORD = "never-to-be-shown"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MigratedServer]:
    running = migrated_server(tmp_path_factory.mktemp("server") / "server")
    admin = running.client(Role.ADMIN)
    migrate(admin)
    admin.close()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MigratedServer]:
    """Was never migrated."""
    running = migrated_server(tmp_path_factory.mktemp("other") / "server")
    yield running
    running.stop()


@pytest.fixture
def nowhere(tmp_path: Path) -> DataDirectory:
    return DataDirectory(tmp_path / "none")


def urls(server: MigratedServer) -> dict[str, str]:
    return {variable: server.url(role) for variable, role in URLS.items()}


def wrong(directory: DataDirectory, environ: dict[str, str]) -> dict[str, Finding]:
    found = list(findings(directory, environ))
    text = "\n".join(f"{finding.said} {finding.remedy}" for finding in found)
    assert "secret-of" not in text and PASSWORD not in text
    assert not directory.path.exists()
    return {finding.subject: finding for finding in found if finding.remedy}


def test_settings_that_lead_to_a_migrated_server_are_right(
    server: MigratedServer, nowhere: DataDirectory
) -> None:
    environ = urls(server)
    assert wrong(nowhere, environ) == {}
    said = {finding.subject: finding.said for finding in findings(nowhere, environ)}
    assert said["ERRATA_WAREHOUSE_READ_URL"].startswith("site-read can sign in to ClickHouse ")
    assert said["schema"] == "the warehouse is up to date"
    assert "data" not in said


def test_a_web_host_is_told_what_its_users_cannot_see(server: MigratedServer, nowhere: DataDirectory) -> None:
    alone = {"ERRATA_WAREHOUSE_READ_URL": server.url(Role.READ)}
    assert wrong(nowhere, alone) == {}
    said = {finding.subject: finding.said for finding in findings(nowhere, alone)}
    assert said["schema"].startswith("not checked")


@contextmanager
def silent() -> Iterator[int]:
    """The port of a program that is no ClickHouse server: it takes connections and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            while True:
                try:
                    listening.accept()[0].close()
                except OSError:
                    return

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_url_that_leads_nowhere_is_wrong(server: MigratedServer, nowhere: DataDirectory) -> None:
    gone = free_port()
    environ = urls(server) | {
        "ERRATA_WAREHOUSE_URL": f"http://in:{PASSWORD}@127.0.0.1:{gone}",
        "ERRATA_WAREHOUSE_READ_URL": f"clickhouse://read:{PASSWORD}@127.0.0.1:{gone}",
        "ERRATA_WAREHOUSE_ANALYST_URL": f"http://analyst:{PASSWORD}@127.0.0.1:99999",
    }
    with silent() as port:
        environ["ERRATA_WAREHOUSE_BUILD_URL"] = f"http://build:{PASSWORD}@127.0.0.1:{port}"
        found = wrong(nowhere, environ)
    assert found["ERRATA_WAREHOUSE_URL"].said == f"nothing is listening at 127.0.0.1:{gone}"
    assert "ERRATA_WAREHOUSE_URL" in found["ERRATA_WAREHOUSE_URL"].remedy
    assert found["ERRATA_WAREHOUSE_READ_URL"].said.endswith(": must begin with http:// or https://")
    assert found["ERRATA_WAREHOUSE_ANALYST_URL"].said.endswith("has an address without a valid port")
    assert "isn't a ClickHouse HTTP endpoint" in found["ERRATA_WAREHOUSE_BUILD_URL"].said
    assert found.keys() & {"schema", "users", "ERRATA_WAREHOUSE_ADMIN_URL"} == set()


@pytest.mark.parametrize("login", [f"site-read:{PASSWORD}", f"nobody:{PASSWORD}", "site-read"])
def test_a_user_who_may_not_sign_in_is_named(
    server: MigratedServer, nowhere: DataDirectory, login: str
) -> None:
    environ = urls(server) | {"ERRATA_WAREHOUSE_READ_URL": f"http://{login}@127.0.0.1:{server.port}"}
    found = wrong(nowhere, environ)
    assert found.keys() == {"ERRATA_WAREHOUSE_READ_URL"}
    name = login.partition(":")[0]
    assert f"rejected the sign-in of {name}" in found["ERRATA_WAREHOUSE_READ_URL"].said


def test_a_server_that_is_too_old_is_wrong(
    server: MigratedServer, nowhere: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.warehouse.server.LEAST_VERSION", (99, 1))
    found = wrong(nowhere, urls(server))
    assert found.keys() == URLS.keys()
    assert "Errata needs 99.1 or newer" in found["ERRATA_WAREHOUSE_URL"].said


@pytest.mark.slow
def test_a_server_without_this_versions_tables_is_to_be_migrated(
    other: MigratedServer, nowhere: DataDirectory
) -> None:
    found = wrong(nowhere, urls(other))
    # Their database is one that a migration creates.
    assert found.keys() == {"schema", "ERRATA_WAREHOUSE_ANALYST_URL"}
    assert "errata migrate" in found["ERRATA_WAREHOUSE_ANALYST_URL"].remedy
    assert "the warehouse lacks " in found["schema"].said and " marts of this version" in found["schema"].said
    assert "errata migrate" in found["schema"].remedy


@pytest.mark.slow
def test_several_servers_behind_an_address_are_wrong(
    server: MigratedServer, other: MigratedServer, nowhere: DataDirectory
) -> None:
    with balanced(server.port, other.port) as port:
        reader = server.url(Role.READ).replace(str(server.port), str(port))
        found = wrong(nowhere, urls(server) | {"ERRATA_WAREHOUSE_READ_URL": reader})
    assert found.keys() == {"ERRATA_WAREHOUSE_READ_URL"}
    assert "leads to 2 ClickHouse servers in turn" in found["ERRATA_WAREHOUSE_READ_URL"].said


def test_settings_that_lead_to_different_servers_are_wrong(
    server: MigratedServer, other: MigratedServer, nowhere: DataDirectory
) -> None:
    environ = urls(server) | {"ERRATA_WAREHOUSE_READ_URL": other.url(Role.READ)}
    found = wrong(nowhere, environ)
    assert found.keys() == {"ERRATA_WAREHOUSE_READ_URL"}
    assert f"127.0.0.1:{other.port} isn't the same server as" in found["ERRATA_WAREHOUSE_READ_URL"].said


@pytest.mark.slow
def test_two_servers_that_do_not_replicate_each_other_are_no_pair(
    server: MigratedServer, other: MigratedServer, nowhere: DataDirectory
) -> None:
    places = f"127.0.0.1:{server.port}", f"127.0.0.1:{other.port}"
    environ = {
        variable: url.replace(places[0], ",".join(places))
        for variable, url in urls(server).items()
        if variable != "ERRATA_WAREHOUSE_ANALYST_URL"
    }
    found = wrong(nowhere, environ)
    assert found.keys() == {"ERRATA_WAREHOUSE_ADMIN_URL"}
    assert "don't replicate each other" in found["ERRATA_WAREHOUSE_ADMIN_URL"].said
    said = [one.said for one in findings(nowhere, environ) if one.subject == "ERRATA_WAREHOUSE_URL"]
    assert [one.rpartition(" at ")[2] for one in said] == list(places)


def test_a_user_without_row_policies_is_wrong(server: MigratedServer, nowhere: DataDirectory) -> None:
    environ = urls(server) | {"ERRATA_WAREHOUSE_READ_URL": server.url(Role.INGEST)}
    found = wrong(nowhere, environ)
    assert found.keys() == {"users"}
    assert "site-ingest lacks this version's row policies" in found["users"].said


def test_a_name_that_is_no_setting_is_wrong(nowhere: DataDirectory) -> None:
    found = wrong(nowhere, {"ERRATA_STATE_URI": "x", "ERRATA_WAREHOUSE_URL": "x"})
    assert found.keys() == {"ERRATA_STATE_URI", "ERRATA_WAREHOUSE_URL"}


@pytest.mark.slow
def test_a_state_store_that_is_away_or_not_migrated_is_wrong(
    postgres: PostgresServer, nowhere: DataDirectory, tmp_path: Path
) -> None:
    def said(url: str) -> str:
        found = wrong(nowhere, {"ERRATA_STATE_URL": url})
        assert found.keys() == {"ERRATA_STATE_URL"}
        return found["ERRATA_STATE_URL"].said

    assert said(f"sqlite:///{tmp_path}/state.db") == f"{tmp_path}/state.db does not exist"
    assert not (tmp_path / "state.db").exists()
    assert "did not respond" in said(f"postgresql://errata:{PASSWORD}@127.0.0.1:{free_port()}/errata")
    url = postgres.create_database()
    assert 'database "none" does not exist' in said(url.rpartition("/")[0] + "/none")
    assert said(url).startswith("lacks ")
    assert "use sqlite or postgresql" in said("mysql://errata@127.0.0.1/errata")


def test_pipelines_that_died_on_another_host_are_named(
    postgres: PostgresServer, nowhere: DataDirectory
) -> None:
    url = postgres.create_database()
    store = Store.open(url, b"s" * 32)
    store.migrate()
    store.close()
    environ = {"ERRATA_STATE_URL": url}
    found = wrong(nowhere, environ)
    assert found["pipelines"].said == "no host has run them in the last 7 days"
    assert wrong(nowhere, environ | {"ERRATA_BUILDS": "false"}) == {}
    now = datetime.now(UTC)
    for host, age in (("worker-1", timedelta()), ("worker-2", timedelta(hours=3))):
        database = Database(url, lambda age=age: now - age)  # type: ignore[misc]
        note_heartbeat(database, host, has_built=True)
        database.close()
    found = wrong(nowhere, environ)
    assert found["pipelines"].said == "worker-2: last alive 3 h ago, last build 3 h ago"
    assert "Start the pipelines on worker-2 again" in found["pipelines"].remedy
    told = [finding for finding in findings(nowhere, environ) if finding.subject == "pipelines"]
    assert len(told) == 2 and told[0].said.startswith("worker-1: last alive ")


def test_pipelines_that_run_and_do_not_build_are_named(
    postgres: PostgresServer, nowhere: DataDirectory
) -> None:
    url = postgres.create_database()
    store = Store.open(url, b"s" * 32)
    store.migrate()
    store.close()
    now = datetime.now(UTC)
    for age, has_built in ((timedelta(hours=1), True), (STALE_AFTER / 4, False)):
        database = Database(url, lambda age=age: now - age)  # type: ignore[misc]
        note_heartbeat(database, "worker-2", has_built=has_built)
        database.close()
    found = wrong(nowhere, {"ERRATA_STATE_URL": url})
    assert found["pipelines"].said == "worker-2: last alive 30 s ago, last build 1 h ago"
    assert found["pipelines"].remedy == "Check the pipelines' log on worker-2, and its runs in Dagster"


@pytest.mark.slow
def test_the_command_reads_the_environment_and_shows_no_password(tmp_path: Path) -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "errata", "doctor", "--data", str(tmp_path / "none")],
        env={**os.environ, "ERRATA_WAREHOUSE_URL": f"http://in:{PASSWORD}@127.0.0.1:{free_port()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 1
    assert "WRONG ERRATA_WAREHOUSE_URL: nothing is listening at 127.0.0.1:" in asked.stdout
    assert PASSWORD not in asked.stdout + asked.stderr


def test_a_node_without_a_spool_is_told_apart(nowhere: DataDirectory) -> None:
    def spool_of(environ: dict[str, str]) -> list[Finding]:
        return [one for one in findings(nowhere, environ) if one.subject == "ERRATA_API_SPOOL_PATH"]

    node = {"ERRATA_WAREHOUSE_URL": f"http://errata_ingest:x@127.0.0.1:{free_port()}"}
    assert spool_of({}) == []
    (without,) = spool_of(node)
    assert "503" in without.said
    assert spool_of({**node, "ERRATA_API_SPOOL_PATH": "/spool"}) == [
        Finding("ERRATA_API_SPOOL_PATH", "/spool")
    ]
