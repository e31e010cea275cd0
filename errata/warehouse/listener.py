"""The embedded warehouse: ClickHouse's own HTTP listener from the chdb-core wheel, in a process of its own.

Only this process imports chdb (261 MB). It stays in the foreground until SIGTERM, then lets queries in flight
finish. A kill at any moment is safe: an acknowledged insert is on disk.
"""

import argparse
import fcntl
import http.client
import logging
import os
import sys
import threading
import time
import urllib.parse
import urllib.request
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from errata.endings import exiting
from errata.errors import ErrataError
from errata.process_log.configured import configure
from errata.stop_signal import StopSignal
from errata.up.data_directory import DataDirectory
from errata.warehouse import sql
from errata.warehouse.configuration import ListenerConfiguration
from errata.warehouse.login import SingleLogin
from errata.warehouse.roles import Role, load_or_create_passwords

log = logging.getLogger("errata.warehouse")

# The last statement never ends: the listener lives as long as it runs. It takes no memory that the engine
# counts, so that an engine out of memory does not cancel it.
LISTEN = "SYSTEM START LISTEN HTTP; "
LISTEN_NATIVE = "SYSTEM START LISTEN TCP; "
SERVE = (
    "SELECT count(sleepEachRow(4000)) FROM numbers(1000000000) "
    "SETTINGS max_block_size = 1, max_threads = 1, function_sleep_max_microseconds_per_block = 4000000000, "
    "max_untracked_memory = 1000000000000, memory_profiler_step = 0"
)
FINISH_WITHIN_SECONDS = 10
# The prefix of all our users' names.
EVERYBODY = "errata_"
# The allocator keeps memory freed by inserts and merges for seconds: hundreds of megabytes at a steady load.
# A build allocates as much again for each statement: freeing it in between costs a tenth of its CPU.
PURGE = "SYSTEM JEMALLOC PURGE"
PURGE_EVERY_SECONDS = 0.5
GROWTH_BYTES = 32 << 20


class EngineMissing(ErrataError):
    """The engine's wheel is not installed."""

    code = "engine_missing"
    is_final = True

    def __init__(self) -> None:
        super().__init__("The engine of the warehouse, chdb-core, isn't installed. Install Errata again")


def serve(configuration: ListenerConfiguration) -> int:
    """Runs until a signal; 0 after a clean stop, 1 after the engine ended by itself. Raises EngineMissing,
    DataDirectoryUnusable."""
    if find_spec("chdb") is None:
        raise EngineMissing
    with DataDirectory(configuration.data_directory).usable():
        configuration.write()
    os.chdir(configuration.run_directory)
    stopping = StopSignal.of_process()
    engine = threading.Thread(target=_run_engine, args=(configuration, stopping), daemon=True)
    engine.start()
    resident = _resident_bytes()
    while engine.is_alive() and not stopping.wait(PURGE_EVERY_SECONDS):
        grown = _resident_bytes()
        if grown > resident + GROWTH_BYTES and (
            grown > configuration.memory_bytes // 2 or _in_flight(configuration, Role.BUILD.value) == b"0"
        ):
            _statement(configuration, PURGE)
            resident = _resident_bytes()
    if not stopping.is_set():
        return 1
    _wait_for_queries_in_flight(configuration)
    return 0


def _run_engine(configuration: ListenerConfiguration, stopping: StopSignal) -> None:
    try:
        from chdb import _chdb

        listen = LISTEN + (LISTEN_NATIVE if configuration.tcp_port else "")
        _chdb.query(  # type: ignore[attr-defined]
            listen + SERVE, "TSV", path=str(configuration.data_directory)
        )
        # An early return carries no message: the reason is on stderr and in server.log.
        reason = holder(configuration.data_directory) or "see server.log"
    except (RuntimeError, ImportError) as error:
        reason = str(error)
    if not stopping.is_set():
        log.error("errata: The engine of the warehouse stopped: %s", reason)


def holder(data: Path) -> str:
    """The other process that has the engine's data open, in a sentence; empty: none."""
    with suppress(OSError), (data / "status").open() as status:
        try:
            fcntl.flock(status, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            number = status.readline().removeprefix("PID:").strip()
            return f"process {number} has {data} open; stop it if no other service uses this directory"
    return ""


def _wait_for_queries_in_flight(configuration: ListenerConfiguration) -> None:
    deadline = time.monotonic() + FINISH_WITHIN_SECONDS
    while time.monotonic() < deadline:
        if _in_flight(configuration, EVERYBODY) in (b"0", b""):
            return
        time.sleep(0.1)
    log.warning("stopped with queries still running after %d s", FINISH_WITHIN_SECONDS)


def _in_flight(configuration: ListenerConfiguration, users: str) -> bytes:
    """The count of statements in flight; empty if the engine does not report it."""
    return _statement(configuration, sql.query("statements_in_flight"), users=users).strip()


def _statement(configuration: ListenerConfiguration, statement: str, **parameters: str) -> bytes:
    """The result of a statement by the engine's administrator; empty if the engine does not answer."""
    bound = urllib.parse.urlencode({f"param_{name}": value for name, value in parameters.items()})
    request = urllib.request.Request(
        f"http://127.0.0.1:{configuration.http_port}/?{bound}",
        data=statement.encode(),
        headers={
            "X-ClickHouse-User": Role.ADMIN.value,
            "X-ClickHouse-Key": configuration.passwords[Role.ADMIN],
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return bytes(answer.read())
    except (OSError, http.client.HTTPException) as error:
        log.warning("the engine did not take %r: %s", statement, error)
        return b""


def _resident_bytes() -> int:
    """Resident memory; 0 if the system does not report it."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="errata warehouse")
    parser.add_argument("--data", type=Path, required=True, help="data directory of the service")
    parser.add_argument("--port", type=int, required=True, help="HTTP port on 127.0.0.1")
    parser.add_argument("--memory", type=int, default=2 << 30, help="memory limit of the process in bytes")
    parser.add_argument("--tcp-port", type=int, default=0, help="port of the native protocol on 127.0.0.1")
    parser.add_argument(
        "--shards",
        default="",
        help="host:port of each shard's native protocol, by commas; | separates replicas",
    )
    chosen = parser.parse_args(arguments)
    with exiting():
        configure("warehouse", os.environ, level=logging.INFO, text="%(name)s %(message)s")
    # The engine's files are private, whatever the directory's mode is.
    os.umask(0o077)
    data: Path = chosen.data.resolve()
    login = SingleLogin()
    login.start()
    configuration = ListenerConfiguration(
        run_directory=data / "run" / "warehouse",
        data_directory=data / "warehouse",
        http_port=chosen.port,
        memory_bytes=chosen.memory,
        login_url=login.url,
        passwords=load_or_create_passwords(data / "run" / "warehouse-passwords.json"),
        shards=chosen.shards.split(",") if chosen.shards else (),
        tcp_port=chosen.tcp_port,
    )
    with exiting():
        code = serve(configuration)
    # The engine has no clean exit with open connections; everything acknowledged is on disk.
    with suppress(OSError):
        # After the supervisor is killed, nobody reads the pipe.
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
