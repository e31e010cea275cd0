"""Real servers under the SDK: every event of every worker in the log once, whatever becomes of the worker.

gunicorn and Celery are there for the tests; gevent and uWSGI are tried where they are installed.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.figures import figure
from tests.ports import free_port

REQUESTS = 300
JOBS = 60
CALLERS = 8
UP_SECONDS = 60

INIT = """
import os, sys
import errata_sdk, sentry_sdk

def start(**integrations):
    errata_sdk.init("errata_app_bench", os.environ["LOGS"], traces_sample_rate=1.0, release="shop@1",
                    auto_enabling_integrations=False, **integrations)
"""

WSGI = """
from sentry_sdk.integrations.wsgi import SentryWsgiMiddleware

start()
sentry_sdk.capture_message("loaded")

def answer(environ, start_response):
    if environ["PATH_INFO"] == "/die":
        os.kill(os.getpid(), 9)
    if environ["PATH_INFO"] == "/ready":
        start_response("200 OK", [])
        return [b""]
    raise RuntimeError(environ["PATH_INFO"])

application = SentryWsgiMiddleware(answer)
"""

CELERY = """
import celery
from celery.signals import celeryd_init
from sentry_sdk.integrations.celery import CeleryIntegration

jobs = celery.Celery("jobs", broker="filesystem://", broker_connection_retry_on_startup=True)
folders = {name: os.path.join(os.environ["LOGS"] + "-broker", name) for name in ("queue", "control")}
for folder in folders.values():
    os.makedirs(folder, exist_ok=True)
jobs.conf.broker_transport_options = {
    "data_folder_in": folders["queue"], "data_folder_out": folders["queue"],
    "control_folder": folders["control"], "polling_interval": 0.01,
}

@celeryd_init.connect
def start_worker(**_):
    start(integrations=[CeleryIntegration()])

@jobs.task(name="fail")
def fail(number):
    raise RuntimeError(f"/{number}")

if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        fail.apply_async((number,))
"""

GUNICORN = {
    "sync": (),
    "sync, preloaded": ("--preload",),
    "sync, recycled": ("--max-requests", "25", "--max-requests-jitter", "10"),
    "gthread, preloaded": ("--worker-class", "gthread", "--threads", "4", "--preload"),
    "gthread, recycled": ("--worker-class", "gthread", "--threads", "4", "--max-requests", "40"),
    "gevent, preloaded": ("--worker-class", "gevent", "--preload"),
}
UWSGI = {
    "preloaded": (),
    "preloaded, threads": ("--enable-threads", "--threads", "4"),
    "preloaded, recycled": ("--max-requests", "25"),
    "lazy": ("--lazy-apps",),
}
CELERY_POOLS = {
    "prefork": ("--pool", "prefork", "--concurrency", "3"),
    "prefork, recycled": ("--pool", "prefork", "--concurrency", "2", "--max-tasks-per-child", "10"),
    "threads": ("--pool", "threads", "--concurrency", "4"),
}


def main() -> None:
    for name, options in GUNICORN.items():
        if "gevent" not in name or importlib.util.find_spec("gevent") is not None:
            command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--workers", "3"]
            _served(f"gunicorn, {name}", [*command, *options, "--bind", "{address}", "served:application"])
    uwsgi = shutil.which("uwsgi", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name, options in UWSGI.items() if uwsgi else ():
        command = [
            str(uwsgi),
            "--die-on-term",
            "--need-app",
            "--master",
            "--processes",
            "3",
            "-H",
            sys.prefix,
        ]
        _served(
            f"uWSGI, {name}",
            [*command, *options, "--http-socket", "{address}", "--wsgi", "served:application"],
        )
    for name, options in CELERY_POOLS.items():
        _worked(f"Celery, {name}", options)


def _served(server: str, command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, address = Path(name), f"127.0.0.1:{free_port()}"
        (folder / "served.py").write_text(INIT + WSGI)
        with _running([part.format(address=address) for part in command], folder):
            _wait_until_up(address)
            with ThreadPoolExecutor(CALLERS) as callers:
                answers = Counter(callers.map(lambda n: _status(address, f"/{n}"), range(REQUESTS)))
            _status(address, "/die")
        _tell(server, folder, REQUESTS, answers={str(status): count for status, count in answers.items()})


def _worked(server: str, options: tuple[str, ...]) -> None:
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "CRITICAL")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tasks.py").write_text(INIT + CELERY)
        subprocess.run([sys.executable, "tasks.py", str(JOBS)], cwd=folder, env=_environ(folder), check=True)
        with _running([sys.executable, "-m", "celery", "--app", "tasks", "worker", *quiet, *options], folder):
            until = time.monotonic() + UP_SECONDS
            while any((folder / "logs-broker/queue").iterdir()) and time.monotonic() < until:
                time.sleep(0.05)
        _tell(server, folder, JOBS)


def _environ(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    return {**os.environ, "LOGS": str(folder / "logs"), "PYTHONPATH": path}


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=_environ(folder), stdout=output, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            process.wait(60)


def _wait_until_up(address: str) -> None:
    until = time.monotonic() + UP_SECONDS
    while _status(address, "/ready") != 200:
        if time.monotonic() > until:
            raise TimeoutError(f"nothing answers at {address}")
        time.sleep(0.05)


def _status(address: str, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def _tell(server: str, folder: Path, expected: int, **facts: Any) -> None:
    errors: Counter[str] = Counter()
    types: Counter[str] = Counter()
    torn = 0
    for line in [
        line for file in (folder / "logs").glob("errata-*") for line in file.read_bytes().splitlines()
    ]:
        try:
            item = json.loads(line)
        except ValueError:
            torn += 1
            continue
        types[item["type"]] += 1
        for value in (item["payload"].get("exception") or {}).get("values", [])[-1:]:
            errors[value["value"]] += 1
    figure(
        "sdk_events_lost_by_workers",
        sum(f"/{number}" not in errors for number in range(expected)),
        "events",
        server=server,
        written=expected,
        twice=sum(count > 1 for count in errors.values()),
        torn=torn,
        items=dict(types),
        **facts,
    )


if __name__ == "__main__":
    main()
