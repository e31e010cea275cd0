"""`errata migrate` on a server of one's own, from nothing to a service that answers."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from errata.endings import FINAL_EXIT_CODE
from errata.warehouse.client import Parameters, QueryFailed, Warehouse
from errata.warehouse.logins import Login
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from errata.warehouse.server import require_one_server
from errata.warehouse.users import (
    NO_STORAGE,
    NOT_ENOUGH_PRIVILEGES,
    UsersRefused,
    UsersUnprotected,
    ensure_users,
    statements,
)
from pipelines.builder.build import build
from pipelines.marts.registry import MARTS
from tests.balancer import balanced
from tests.bare_server import PROGRAMS, BareServer, bare_server
from tests.mart_builds import FAST
from tests.processes import WarehouseProcess
from tests.web_process import web

NAMES = {
    "ERRATA_WAREHOUSE_URL": ("monitoring_in", "in-secret"),
    "ERRATA_WAREHOUSE_BUILD_URL": ("monitoring_build", "build-secret"),
    "ERRATA_WAREHOUSE_READ_URL": ("monitoring_read", "read-secret"),
    "ERRATA_WAREHOUSE_ANALYST_URL": ("monitoring_analyst", "analyst-secret"),
}
UNKNOWN_USER, UNKNOWN_ROLE = 192, 511
REFUSALS = (NO_STORAGE, NOT_ENOUGH_PRIVILEGES, UNKNOWN_USER, UNKNOWN_ROLE)
SHAPES = """
    select database, name, replaceRegexpAll(create_table_query, 'UUID .[0-9a-f-]+.', '') as shape
    from system.tables
    where startsWith(database, 'errata_')
    order by database, name
"""


@pytest.fixture
def server(tmp_path: Path) -> BareServer:
    return bare_server(tmp_path / "server")


def environment(server: BareServer, directory: Path) -> dict[str, str]:
    return {
        "ERRATA_WAREHOUSE_ADMIN_URL": server.url(),
        **{variable: server.url(*login) for variable, login in NAMES.items()},
        "ERRATA_STATE_URL": f"sqlite:///{directory / 'state.db'}",
        "ERRATA_SECRET": "s" * 40,
    }


def migrated(settings: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    return subprocess.run(
        [sys.executable, "-m", "errata", "migrate", *options],
        env={**kept, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_from_a_server_with_nothing_but_default_to_users_who_read_what_they_may(
    server: BareServer, tmp_path: Path
) -> None:
    settings = environment(server, tmp_path)
    with server.running():
        planned = migrated(settings, "--plan")
        assert planned.returncode == 0, planned.stderr
        assert "apply 0001_create_error_events" in planned.stdout
        assert "create errata_mart.page_loads" in planned.stdout and "monitoring_read" in planned.stdout
        checked = migrated(settings, "--check")
        assert checked.returncode == 1 and "apply 0001_create_error_events on 127.0.0.1:" in checked.stdout
        admin = Warehouse(server.url())
        assert admin.rows("select name from system.databases where startsWith(name, 'errata')") == []
        refused = migrated(settings)
        assert refused.returncode == 1
        assert "errata migrate --users-file" in refused.stderr and "Traceback" not in refused.stderr
        admin.close()
    assert migrated(settings, "--users-file", str(server.users_folder / "errata.xml")).returncode == 0
    account = tmp_path / "account"
    with server.running():
        done = migrated(settings, "--first-account", str(account))
        assert done.returncode == 0, done.stderr
        assert (account / "credentials.json").exists()
        again = migrated(settings, "--plan")
        assert "apply" not in again.stdout and "create errata_mart" not in again.stdout
        checked = migrated(settings, "--check")
        said = "nothing to do: every server is at this version\n"
        assert (checked.returncode, checked.stdout) == (0, said), checked.stderr
        keys = json.loads((account / "credentials.json").read_text())
        key = {"Authorization": f"Bearer {keys['api_key']}"}
        with web(settings) as address, web(settings, "--ingest-only") as edge:
            kept = httpx2.post(
                f"{edge}/api/ingest",
                content=an_event(keys["app_key"]),
                headers=key,
            )
            assert kept.status_code == 200, kept.text
            for path in ("/sign-in", f"/api/projects/{keys['project']}/issues"):
                assert httpx2.get(f"{edge}{path}").status_code == 404
            assert httpx2.get(f"{edge}/api/auth/verify", headers=key).status_code == 200
            builder = Warehouse(server.url(*NAMES["ERRATA_WAREHOUSE_BUILD_URL"]))
            assert all(build(builder, mart, FAST) for mart in MARTS)
            builder.close()
            listed = httpx2.get(
                f"{address}/api/projects/{keys['project']}/issues",
                headers=key,
            )
            assert [issue["type"] for issue in listed.json()["issues"]] == ["PayError"], listed.text
        reader = Warehouse(server.url(*NAMES["ERRATA_WAREHOUSE_READ_URL"]))
        assert reader.rows("select count() as count from errata_raw.error_events") == [{"count": 0}]
        reader.close()
        analyst = Warehouse(server.url(*NAMES["ERRATA_WAREHOUSE_ANALYST_URL"]))
        deadline = time.monotonic() + 30
        # Views read what was published ten seconds ago.
        while analyst.rows("select sum(event_count) as count from issue_days") != [{"count": 1}]:
            assert time.monotonic() < deadline
            time.sleep(1)
        with pytest.raises(QueryFailed):
            analyst.rows("select * from errata_raw.error_events")
        analyst.close()


def an_event(app_key: str) -> bytes:
    payload = {
        "platform": "python",
        "timestamp": datetime.now(UTC).isoformat(),
        "exception": {"values": [{"type": "PayError", "value": "failed"}]},
    }
    line = {"app_key": app_key, "type": "event", "payload": payload}
    return json.dumps(line).encode()


@pytest.mark.slow
def test_an_address_of_several_servers_in_turn_is_refused(server: BareServer, tmp_path: Path) -> None:
    other = bare_server(tmp_path / "other")
    with server.running(), other.running(), balanced(server.port, other.port) as port:
        settings = environment(server, tmp_path)
        settings["ERRATA_WAREHOUSE_ADMIN_URL"] = f"http://default:@127.0.0.1:{port}"
        refused = migrated(settings)
        assert refused.returncode == 1
        assert f"127.0.0.1:{port} leads to 2 ClickHouse servers in turn" in refused.stderr
        assert require_one_server(server.url()) != require_one_server(other.url())


def with_replica(settings: dict[str, str], other: BareServer) -> dict[str, str]:
    """Every URL of the warehouse with the address of another server, too."""
    return {
        name: f"{value},127.0.0.1:{other.port}" if name.startswith("ERRATA_WAREHOUSE") else value
        for name, value in settings.items()
    }


@pytest.mark.slow
def test_two_servers_that_do_not_replicate_each_other_are_refused_and_nothing_is_left(
    server: BareServer, tmp_path: Path
) -> None:
    other = bare_server(tmp_path / "other")
    settings = with_replica(environment(server, tmp_path), other)
    databases = "select name from system.databases where startsWith(name, 'errata')"
    with server.running(), other.running():
        both = [Warehouse(one.url()) for one in (server, other)]
        refused = migrated(settings)
        assert refused.returncode == 1 and "Traceback" not in refused.stderr
        both_places = f"127.0.0.1:{server.port} and 127.0.0.1:{other.port}"
        assert f"{both_places} don't replicate each other" in refused.stderr
        assert [one.rows(databases) for one in both] == [[], []]
        # One that was a single server before.
        migrated(environment(server, tmp_path))
        refused = migrated(settings)
        assert refused.returncode == 1
        assert f"the tables of 127.0.0.1:{server.port} aren't replicated" in refused.stderr
        assert both[1].rows(databases) == []
        for warehouse in both:
            warehouse.close()


@pytest.mark.slow
def test_a_program_may_not_use_a_server_that_is_not_migrated(server: BareServer, tmp_path: Path) -> None:
    settings = environment(server, tmp_path)
    settings["ERRATA_WAREHOUSE_READ_URL"] += ",127.0.0.1:1"
    refused = migrated(settings)
    assert refused.returncode == FINAL_EXIT_CODE
    reason = "ERRATA_WAREHOUSE_READ_URL: lists more servers than ERRATA_WAREHOUSE_ADMIN_URL"
    assert reason in refused.stderr


@pytest.mark.slow
def test_users_that_two_programs_would_share_are_refused(server: BareServer, tmp_path: Path) -> None:
    settings = environment(server, tmp_path)
    settings["ERRATA_WAREHOUSE_READ_URL"] = settings["ERRATA_WAREHOUSE_URL"]
    del settings["ERRATA_WAREHOUSE_BUILD_URL"]
    refused = migrated(settings)
    assert refused.returncode == FINAL_EXIT_CODE
    assert "ERRATA_WAREHOUSE_READ_URL: names monitoring_in, as ERRATA_WAREHOUSE_URL does" in refused.stderr
    assert "ERRATA_WAREHOUSE_BUILD_URL: required" in refused.stderr


def test_a_user_without_the_policies_of_this_version_is_refused(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    known = {role: Login.of(warehouse.url(role)) for role in PROGRAMS}
    ensure_users(admin, known)
    with pytest.raises(UsersUnprotected, match="errata_ingest lacks this version's row policies"):
        ensure_users(admin, known | {Role.READ: known[Role.INGEST]})
    with pytest.raises(UsersRefused, match="creating nobody"):
        ensure_users(admin, known | {Role.READ: Login("nobody", "")})
    admin.close()


def test_the_server_would_understand_every_statement_about_users(warehouse: WarehouseProcess) -> None:
    """The embedded engine takes no users by SQL, but reads the statements."""
    admin = warehouse.client(Role.ADMIN)
    logins = {role: Login(f"o'dd`{role}", "pass'word") for role in PROGRAMS}
    for statement in statements(logins):
        with pytest.raises(QueryFailed) as caught:
            admin.execute(statement)
        assert caught.value.clickhouse_code in REFUSALS, statement
    admin.close()


@pytest.mark.slow
def test_a_migration_stopped_after_any_statement_is_resumed(server: BareServer) -> None:
    with server.running():
        whole = Warehouse(server.url())
        migrate(whole)
        wanted = whole.rows(SHAPES)
        for database in {row["database"] for row in wanted}:
            whole.execute(f"drop database {database}")
        cut = CutOff(server.url())
        for _ in range(1000):
            try:
                migrate(cut)
                break
            except Stopped:
                continue
        assert len(cut.seen) > 200
        assert whole.rows(SHAPES) == wanted
        assert migrate(whole) == []
        whole.close()


class Stopped(Exception):
    pass


class CutOff(Warehouse):
    """Is stopped after each statement, the first time that it executes it."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.seen: set[str] = set()

    def execute(
        self, sql: str, parameters: Parameters | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        super().execute(sql, parameters, settings)
        told = f"{sql} {parameters}"
        if told not in self.seen:
            self.seen.add(told)
            raise Stopped
