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
from contextlib import suppress
from pathlib import Path

from errata.endings import exiting
from errata.settings import load
from errata.stop_signal import StopSignal
from pipelines.heartbeat import touch
from pipelines.settings import PipelinesSettings

log = logging.getLogger("errata.pipelines")

BEAT_SECONDS = 10
# On a busy machine the process of a run may take over a minute to start, which Dagster would call a failure.
PATIENCE = {"DAGSTER_GRPC_TIMEOUT_SECONDS": "600"}


def main() -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    with exiting():
        settings = load(PipelinesSettings, os.environ)
    if "DAGSTER_HOME" not in os.environ:
        log.error("set DAGSTER_HOME to a directory for Dagster's storage")
        return 2
    stopping = StopSignal.of_process()
    if code := subprocess.call([sys.executable, "-m", "pipelines.instance"]):
        return code
    # A socket's path is short, and only the owner can enter this directory.
    with tempfile.TemporaryDirectory(prefix="errata-") as directory:
        to_run = commands(Path(directory), settings.dagster_port)
        children = [subprocess.Popen(command, env={**PATIENCE, **os.environ}) for command in to_run]
        while not stopping.is_set() and all(child.poll() is None for child in children):
            touch(settings.alive_path)
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
    # One that can load the definitions anew while runs go on (pipelines/following.py).
    code = [str(scripts / "dagster"), "code-server", "start"]
    code += ["--socket", str(socket), "-m", "pipelines.definitions"]
    daemon = [str(scripts / "dagster-daemon"), "run", "-w", str(workspace)]
    if not dagster_port:
        return [code, daemon]
    pages = [str(scripts / "dagster-webserver"), "-w", str(workspace), "--host", "127.0.0.1"]
    return [code, daemon, [*pages, "--port", str(dagster_port)]]


def _stop(children: "list[subprocess.Popen[bytes]]") -> None:
    """Ends the processes and their runs at once: a killed build changes nothing, and the next start cancels
    its run."""
    # A code server that sees a run end without a result, or a daemon that misses its code server, would
    # report a failure.
    for child in children:
        child.send_signal(signal.SIGSTOP)
    for pid in descendants([child.pid for child in children]):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for child in children:
        child.kill()
        child.wait()


def descendants(pids: list[int]) -> list[int]:
    """The processes that these have started, directly or through others."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # A name may hold spaces and parentheses; the state and the parent follow it.
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found, generation = [], pids
    while generation := [pid for pid, parent in parents.items() if parent in generation]:
        found += generation
    return found


if __name__ == "__main__":
    sys.exit(main())
