"""Real servers that fork workers, recycle them and lose some."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.processes import free_port
from tests.sdk.conftest import OUR_PATH

Lines = Callable[[], list[dict[str, Any]]]

INIT = """
import os, sys
import errata_sdk, sentry_sdk

def start(**integrations):
    errata_sdk.init(
        "errata_app_test", os.environ["LOGS"], traces_sample_rate=1.0, release="shop@1",
        before_send=lambda event, hint: None if event.get("message") == "unwanted" else event,
        auto_enabling_integrations=False, **integrations,
    )
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
    sentry_sdk.capture_message("unwanted")
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
    sentry_sdk.capture_message("unwanted")
    raise RuntimeError(str(number))

if __name__ == "__main__":
    for number in range(12):
        fail.apply_async((number,))
"""


@contextmanager
def running(command: list[str], logs: Path, folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    environ = {**os.environ, "LOGS": str(logs)}
    environ["PYTHONPATH"] = os.pathsep.join([str(folder), OUR_PATH["PYTHONPATH"]])
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], env=environ, cwd=folder, stdout=output, stderr=output
        )
        try:
            yield process
        finally:
            process.terminate()
            assert process.wait(20) == 0


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while True:
        # A line that is just being written ends in its midst.
        with suppress(json.JSONDecodeError):
            if holds():
                return
        assert time.monotonic() < until
        time.sleep(0.02)


def errors(lines: Lines) -> Counter[str]:
    return Counter(
        line["payload"]["exception"]["values"][-1]["value"]
        for line in lines()
        if line["type"] == "event" and "exception" in line["payload"]
    )


def unwanted_count(lines: Lines) -> int:
    return sum(
        event["quantity"]
        for line in lines()
        if line["type"] == "client_report"
        for event in line["payload"]["discarded_events"]
        if event["reason"] == "before_send"
    )


@pytest.mark.slow
def test_gunicorn_workers_that_are_recycled_or_killed_write_every_event_once(
    logs: Path, lines: Lines, tmp_path: Path
) -> None:
    (tmp_path / "served.py").write_text(INIT + WSGI)
    port = free_port()
    command = ["gunicorn", "--workers", "2", "--max-requests", "15", "--no-control-socket", "--preload"]
    # A worker that is just forked misses the signal to stop.
    command += ["--graceful-timeout", "5"]

    def status(path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    with running([*command, "--bind", f"127.0.0.1:{port}", "served:application"], logs, tmp_path):
        wait_until(lambda: status("/ready") == 200)
        with ThreadPoolExecutor(4) as callers:
            assert set(callers.map(status, [f"/{number}" for number in range(40)])) == {500}
        told_before_kill = unwanted_count(lines)
        assert status("/die") == 0
    assert errors(lines) == Counter(f"/{number}" for number in range(40))
    loaded = sum(line["payload"].get("message") == "loaded" for line in lines() if line["type"] == "event")
    assert loaded == 1
    # A recycled worker tells what it dropped; the one that was killed could not. /ready is a request too.
    assert 10 <= told_before_kill <= unwanted_count(lines) <= 40


@pytest.mark.slow
def test_workers_of_celerys_prefork_pool_write_every_event_once_and_tell_what_they_dropped(
    logs: Path, lines: Lines, tmp_path: Path
) -> None:
    (tmp_path / "tasks.py").write_text(INIT + CELERY)
    subprocess.run(
        [sys.executable, "tasks.py"],
        cwd=tmp_path,
        env={**os.environ, **OUR_PATH, "LOGS": str(logs)},
        check=True,
    )
    options = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"]
    pool = ["--pool", "prefork", "--concurrency", "2"]
    with running(["celery", "--app", "tasks", "worker", *options, *pool], logs, tmp_path):
        wait_until(lambda: sum(errors(lines).values()) >= 12)
    assert errors(lines) == Counter(str(number) for number in range(12))
    assert Counter(line["type"] for line in lines())["transaction"] == 12
    assert unwanted_count(lines) == 12
