"""A PostgreSQL server of the test session's own, on a free port of the loopback."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.exc import OperationalError

from errata.state.database import parsed_url
from errata.state.table import every_table

OPTIONS = ("-h", "127.0.0.1", "-k", "", "-c", "fsync=off", "-c", "max_connections=200")
# How Dagster is told of its database.
FORMS = ("postgres_url", "postgres_db")
OF_DATABASE = "select count(*) from pg_stat_activity where datname = :name"


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
        subprocess.run(
            [self._binaries / "initdb", "-D", data, "-U", "errata", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        # Our own child: pg_ctl would leave it to the first process of the machine, which may reap it late.
        self._process = subprocess.Popen(
            [self._binaries / "postgres", "-D", data, *OPTIONS, "-p", str(self._port)],
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_it_answers()

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(20)
        shutil.rmtree(self._folder)

    def create_database(self, like: str = "") -> str:
        """Its URL. `like`: the URL of one that it is a copy of, which nobody is connected to."""
        name = f"state_{next(self._numbers)}"
        template = f" template {make_url(like).database}" if like else ""
        engine = self._engine()
        with engine.connect() as connection:
            connection.exec_driver_sql(f"create database {name}{template}")
        engine.dispose()
        return f"postgresql://{self._address}/{name}"

    @property
    def _address(self) -> str:
        return f"errata@127.0.0.1:{self._port}"

    def _engine(self) -> Engine:
        return create_engine(f"postgresql+psycopg2://{self._address}/postgres", isolation_level="AUTOCOMMIT")

    def _wait_until_it_answers(self) -> None:
        engine = self._engine()
        deadline = time.monotonic() + 60
        while True:
            try:
                engine.connect().close()
                break
            except OperationalError:
                assert self._process.poll() is None, "PostgreSQL ended"
                assert time.monotonic() < deadline, "PostgreSQL did not answer within a minute"
                time.sleep(0.05)
        engine.dispose()


def emptied(url: str) -> None:
    """Every table of the store, as if nobody had written to it."""
    engine = create_engine(parsed_url(url))
    tables = ", ".join(table.name for table in every_table().sorted_tables)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"truncate {tables} restart identity")
    engine.dispose()


def dagster_storage(url: str, form: str) -> str:
    """Lines for dagster.yaml, in one of FORMS."""
    if form == "postgres_url":
        return f"storage:\n  postgres:\n    postgres_url: {url}\n"
    parts = make_url(url)
    return (
        "storage:\n  postgres:\n    postgres_db:\n"
        f"      username: {parts.username}\n      password: any\n      hostname: {parts.host}\n"
        f"      db_name: {parts.database}\n      port: {parts.port}\n"
    )
