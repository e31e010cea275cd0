"""`python -m pipelines`: Dagster's daemon, and its pages where a port is set, until SIGTERM.

This process stays small: everything that needs Dagster runs in processes of its own.
"""

import logging
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

from errata.settings import load
from pipelines.heartbeat import beat
from pipelines.settings import PipelinesSettings

log = logging.getLogger("errata.pipelines")

BEAT_SECONDS = 10
STOP_WITHIN_SECONDS = 15


def main() -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    settings = load(PipelinesSettings, os.environ)
    if "DAGSTER_HOME" not in os.environ:
        log.error("set DAGSTER_HOME to a directory for Dagster's storage")
        return 2
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    subprocess.run([sys.executable, "-m", "pipelines.instance"], check=True)
    # A socket's path is short, and only the owner can enter this directory.
    with tempfile.TemporaryDirectory(prefix="errata-") as directory:
        children = [subprocess.Popen(command) for command in commands(Path(directory), settings.dagster_port)]
        started_at = time.time()
        while not stopping.is_set() and all(child.poll() is None for child in children):
            beat(settings.heartbeat_path, started_at)
            stopping.wait(BEAT_SECONDS)
        _stop(children)
    if not stopping.is_set():
        log.error("a pipeline process exited unexpectedly")
        return 1
    return 0


def commands(directory: Path, dagster_port: int) -> list[list[str]]:
    """The processes to run. All share one server of the definitions: without it the daemon starts one of its
    own every minute."""
    socket, workspace = directory / "code.sock", directory / "workspace.yaml"
    workspace.write_text(
        f"load_from:\n  - grpc_server: {{socket: {socket}, location_name: pipelines.definitions}}\n"
    )
    scripts = Path(sysconfig.get_path("scripts"))
    code = [str(scripts / "dagster"), "api", "grpc", "--socket", str(socket), "-m", "pipelines.definitions"]
    daemon = [str(scripts / "dagster-daemon"), "run", "-w", str(workspace)]
    if not dagster_port:
        return [code, daemon]
    pages = [str(scripts / "dagster-webserver"), "-w", str(workspace), "--host", "127.0.0.1"]
    return [code, daemon, [*pages, "--port", str(dagster_port)]]


def _stop(children: "list[subprocess.Popen[bytes]]") -> None:
    for child in children:
        child.terminate()
    deadline = time.monotonic() + STOP_WITHIN_SECONDS
    for child in children:
        try:
            child.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()


if __name__ == "__main__":
    sys.exit(main())
