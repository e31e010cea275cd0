"""A PostgreSQL server of the test session's own, on a free port of the loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
from itertools import count
from pathlib import Path

from sqlalchemy import create_engine


def find_binaries() -> Path | None:
    """The folder that holds initdb and postgres."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    candidates = [*installed, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((folder for folder in candidates if (folder / "postgres").exists()), None)


class PostgresServer:
    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        # PostgreSQL refuses to run as root.
        self._user = "nobody" if os.getuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="errata-postgres-"))
        self._numbers = count(1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        if self._user:
            shutil.chown(self._folder, self._user)

    def start(self) -> None:
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-U", "errata", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {self._port} -h 127.0.0.1 -k '' -c fsync=off -c max_connections=200"
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._folder)

    @property
    def address(self) -> str:
        return f"errata@127.0.0.1:{self._port}"

    def create_database(self) -> str:
        name = f"state_{next(self._numbers)}"
        address = f"postgresql+psycopg2://{self.address}"
        engine = create_engine(f"{address}/postgres", isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"create database {name}")
        engine.dispose()
        return f"postgresql://{self.address}/{name}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._binaries / program, *arguments],
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
