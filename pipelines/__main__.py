"""`python -m pipelines`: Dagster's daemon and its runs, and its pages where a port is set, until SIGTERM."""

import json
import logging
import os
import shutil
import signal
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from errata.endings import exiting
from errata.process_log.configured import configure
from errata.settings import load
from errata.stop_signal import StopSignal
from pipelines.settings import PipelinesSettings

log = logging.getLogger("errata.pipelines")

# On a busy machine a request may take over a minute, which Dagster would call a failure.
PATIENCE = {"DAGSTER_GRPC_TIMEOUT_SECONDS": "600"}
# Freshness is a matter of minutes. A process that forks has no threads, not even of numpy.
FRUGALITY = {"FRESHNESS_DAEMON_INTERVAL_SECONDS": "120", "OPENBLAS_NUM_THREADS": "1"}


def main() -> int:
    """After the definitions were loaded anew, the first argument tells what goes on."""
    with exiting():
        configure("pipelines", os.environ, text="%(asctime)s %(name)s %(message)s")
        for name in ("errata", "dagster"):
            logging.getLogger(name).setLevel(logging.INFO)
        settings = load(PipelinesSettings, os.environ)
    if "DAGSTER_HOME" not in os.environ:
        log.error("set DAGSTER_HOME to a directory for Dagster's storage")
        return 2
    stopping = StopSignal.of_process()
    if sys.argv[1:]:
        told = json.loads(sys.argv[1])
        directory, running = Path(told["directory"]), told["running"]
    else:
        # A socket's path is short, and only the owner can enter this directory.
        directory, running = Path(tempfile.mkdtemp(prefix="errata-")), None
    is_stopped = _serve(settings, stopping, directory, running)
    shutil.rmtree(directory, ignore_errors=True)
    if not is_stopped:
        log.error("a pipeline process exited unexpectedly")
    return 0 if is_stopped else 1


def _serve(
    settings: PipelinesSettings, stopping: StopSignal, directory: Path, running: Mapping[str, int] | None
) -> bool:
    """False if a process ended that should go on. `running`: what outlasted a reload; None at a start."""
    os.environ.update({**FRUGALITY, **os.environ})
    # Imports take seconds, in which a stop may come.
    from pipelines.instance import prepare, reference_to, write_instance
    from pipelines.processes.children import Children
    from pipelines.processes.server import ForkServer

    home, children = Path(os.environ["DAGSTER_HOME"]), Children(running or {})
    write_instance(home)
    try:
        if running is None:
            children.fork("prepare", prepare, home, settings)
            if children.exit_code("prepare"):
                return False
        server = ForkServer(reference_to(home), home, directory, children)
        server.start_daemon()
        server.start_pages(commands(directory, settings.dagster_port), {**PATIENCE, **os.environ})
        is_stopped = server.serve(stopping, settings.alive_path)
        if server.is_due_anew and not stopping.is_set():
            told = {"directory": str(directory), "running": children.running}
            os.execv(sys.executable, [sys.executable, "-m", "pipelines", json.dumps(told)])
        return is_stopped
    finally:
        _end(list(children.running.values()))


def commands(directory: Path, dagster_port: int) -> dict[str, list[str]]:
    """The programs that show what runs here, by name: none without a port. Pages get the definitions from a
    server that can load them anew (pipelines/following.py)."""
    if not dagster_port:
        return {}
    socket, workspace = directory / "code.sock", directory / "workspace.yaml"
    workspace.write_text(
        f"load_from:\n  - grpc_server: {{socket: {socket}, location_name: pipelines.definitions}}\n"
    )
    scripts = Path(sysconfig.get_path("scripts"))
    code = [str(scripts / "dagster"), "code-server", "start"]
    pages = [str(scripts / "dagster-webserver"), "-w", str(workspace), "--host", "127.0.0.1"]
    return {
        "code": [*code, "--socket", str(socket), "-m", "pipelines.definitions"],
        "pages": [*pages, "--port", str(dagster_port)],
    }


def _end(children: list[int]) -> None:
    """Ends the processes and what they started at once: a killed build changes nothing, and the next start
    cancels its run."""
    # A daemon that sees a run end without a result would report a failure.
    for pid in children:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    for pid in [*descendants(children), *children]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in children:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


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
