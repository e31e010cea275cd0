"""`python -m pipelines`: Dagster's daemon, and its pages where a port is set, until SIGTERM.

Stays small itself: what needs Dagster runs in processes of its own.
"""

import logging
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

from errata.settings import load
from pipelines.heartbeat import beat
from pipelines.settings import PipelinesSettings

log = logging.getLogger("errata.pipelines")

BEAT_SECONDS = 10
STOP_WITHIN_SECONDS = 15
DEFINITIONS = ["-m", "pipelines.definitions"]


def main() -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(message)s")
    settings = load(PipelinesSettings, os.environ)
    if "DAGSTER_HOME" not in os.environ:
        log.error("DAGSTER_HOME names no directory for Dagster's storage")
        return 2
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    subprocess.run([sys.executable, "-m", "pipelines.instance"], check=True)
    children = [subprocess.Popen(command) for command in commands(settings)]
    started_at = time.time()
    while not stopping.is_set() and all(child.poll() is None for child in children):
        beat(settings.heartbeat_path, started_at)
        stopping.wait(BEAT_SECONDS)
    _stop(children)
    if not stopping.is_set():
        log.error("a process of the pipelines ended by itself")
        return 1
    return 0


def commands(settings: PipelinesSettings) -> list[list[str]]:
    scripts = Path(sysconfig.get_path("scripts"))
    daemon = [str(scripts / "dagster-daemon"), "run", *DEFINITIONS]
    if not settings.dagster_port:
        return [daemon]
    pages = [str(scripts / "dagster-webserver"), *DEFINITIONS, "--host", "127.0.0.1"]
    return [daemon, [*pages, "--port", str(settings.dagster_port)]]


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
