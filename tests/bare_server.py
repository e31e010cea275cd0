"""A ClickHouse listener as an operator might have it: nothing but the user `default`, who may do everything,
and a folder for users of others. It takes no users by SQL."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from errata.warehouse.configuration import users_file
from errata.warehouse.logins import Login
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess, answers, free_port

PROGRAMS: tuple[Role, ...] = (Role.INGEST, Role.BUILD, Role.READ, Role.ANALYST)
USERS = """<clickhouse>
    <profiles><default/></profiles><quotas><default/></quotas>
    <users><default>
        <password>{password}</password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota><access_management>1</access_management>
    </default></users>
</clickhouse>
"""
SERVER = """<clickhouse>
    <http_port>{port}</http_port><listen_host>127.0.0.1</listen_host>
    <users_config>{directory}/users.xml</users_config>
    <logger><level>warning</level><log>{directory}/server.log</log></logger>
    <max_server_memory_usage>2000000000</max_server_memory_usage>
    <storage_configuration>
        <disks><errata_backup><type>local</type><path>{directory}/backups/</path></errata_backup></disks>
    </storage_configuration>
    <backups><allowed_disk>errata_backup</allowed_disk></backups>
</clickhouse>
"""
# The engine runs statements of its own session, as `default` without a password.
SERVE = """
import sys
from chdb import _chdb
_chdb.query(
    "SYSTEM START LISTEN HTTP; SELECT count(sleepEachRow(4000)) FROM numbers(1000000000) SETTINGS "
    "max_block_size = 1, max_threads = 1, function_sleep_max_microseconds_per_block = 4000000000",
    "TSV",
    path=sys.argv[1],
)
"""


@dataclass
class BareServer:
    directory: Path
    port: int

    @property
    def backups(self) -> Path:
        """Where the server's disk for backups has ours."""
        return self.directory / "backups" / "errata"

    @property
    def users_folder(self) -> Path:
        """Files in it are read at the start."""
        return self.directory / "users.d"

    def url(self, name: str = "default", password: str = "") -> str:
        return f"http://{name}:{password}@127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator[None]:
        process = self.start()
        try:
            yield
        finally:
            process.kill()
            process.wait()

    def start(self) -> "subprocess.Popen[bytes]":
        """Returns as soon as it answers."""
        self.users_folder.mkdir(parents=True, exist_ok=True)
        (self.directory / "users.xml").write_text(USERS.format(password=""))
        (self.directory / "clickhouse-local.xml").write_text(
            SERVER.format(port=self.port, directory=self.directory)
        )
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(self.directory / "rows")],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdin=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not answers(self.port):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        return process


def bare_server(directory: Path) -> BareServer:
    return BareServer(directory, free_port())


@dataclass
class MigratedServer(WarehouseProcess):
    """A bare server whose users have the names and passwords of a site."""

    def url(self, role: Role) -> str:
        return f"http://{_name(role)}@127.0.0.1:{self.port}"


def migrated_server(directory: Path) -> MigratedServer:
    server = bare_server(directory)
    server.users_folder.mkdir(parents=True)
    logins: dict[Role, Login] = {role: Login.of(f"http://{_name(role)}@host") for role in PROGRAMS}
    (server.users_folder / "errata.xml").write_text(users_file(logins))
    return MigratedServer(directory, server.port, server.start())


def _name(role: Role) -> str:
    return "default:" if role is Role.ADMIN else f"site-{role.name.lower()}:secret-of-{role.name}"
