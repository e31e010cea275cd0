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

from tests.processes import answers, free_port

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
    def users_folder(self) -> Path:
        """Files in it are read at the start."""
        return self.directory / "users.d"

    def url(self, name: str = "default", password: str = "") -> str:
        return f"http://{name}:{password}@127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator[None]:
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
        try:
            deadline = time.monotonic() + 30
            while not answers(self.port):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            yield
        finally:
            process.kill()
            process.wait()


def bare_server(directory: Path) -> BareServer:
    return BareServer(directory, free_port())
