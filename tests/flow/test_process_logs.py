"""What the processes of a real service print: JSON where it is set, else text as it always was."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.service import ROOT, Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SETTINGS = {"ERRATA_LOG_FORMAT": "json", "ERRATA_LOG_REQUESTS": "true"}
PLANTED = "planted-3f9c2b7d51e84a06"
PUBLIC = "errata_public_" + "7" * 32
PARTS = ("warehouse", "migration", "web", "pipelines")
WITHIN_SECONDS = 60


def lines_of(service: Service, part: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (service.directory / "run" / f"{part}.log").read_text().splitlines()]


def request_id(url: str, body: bytes | None = None) -> str:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
            return str(answer.headers["X-Request-Id"])
    except urllib.error.HTTPError as error:
        return str(error.headers["X-Request-Id"])


@contextmanager
def waiting() -> Iterator[Any]:
    until = time.monotonic() + WITHIN_SECONDS

    def go_on(reason: object) -> None:
        assert time.monotonic() < until, reason
        time.sleep(0.2)

    yield go_on


def test_each_line_of_each_part_is_json_with_the_id_of_its_request_and_without_secrets() -> None:
    with running("--workers", "2", settings=SETTINGS) as service:
        url = service.credentials["base_url"]
        addresses = {
            f"/shared/{PLANTED}?token={PLANTED}": "/shared/{token}",
            f"/link/{PLANTED}": "/link/{token}",
            f"/api/nothing/{PLANTED}%0Ainjected": "unmatched",
            "/api/health": "/api/health",
            "/sign-in": "/sign-in",
        }
        ids = {request_id(url + address): route for address, route in addresses.items()}
        ids[request_id(f"{url}/api/1/envelope/?sentry_key={PUBLIC}", b"{}")] = "/api/{project_id}/envelope/"
        assert len(ids) == len(addresses) + 1 and "None" not in ids
        answered: Mapping[str, str] = {}
        with waiting() as go_on:
            while not answered.keys() >= ids.keys() or not lines_of(service, "pipelines"):
                go_on(answered)
                answered = {
                    line["request_id"]: line["route"]
                    for line in lines_of(service, "web")
                    if line["logger"] == "errata.requests"
                }
        assert {name: answered[name] for name in ids} == ids
        for part in PARTS:
            found = lines_of(service, part)
            assert found and {line["process"] for line in found} == {part}
            assert all(line["time"].endswith("Z") and line["level"].isupper() for line in found)
            text = (service.directory / "run" / f"{part}.log").read_text()
            assert PLANTED not in text and PUBLIC not in text
            assert service.credentials["api_key"] not in text
        assert "uvicorn.error" in {line["logger"] for line in lines_of(service, "web")}
        assert service.process.stdout is not None
        # The line after the one that tells that it is ready.
        said = json.loads(service.process.stdout.readline())
        assert said["process"] == "supervisor" and said["message"].startswith("Sign in")


def test_text_is_as_it_was() -> None:
    with running("--no-pipelines") as service:
        run = service.directory / "run"
        web = (run / "web.log").read_text()
        assert "INFO:     Application startup complete." in web and "GET" not in web
        assert " errata.migrate applied 0001_" in (run / "migration.log").read_text()


def test_an_unknown_format_ends_the_start_with_a_sentence(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "errata", "up", "--data", str(tmp_path / "data")],
        env={"PYTHONPATH": ":".join(sys.path), "ERRATA_LOG_FORMAT": "yaml"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 78
    assert ended.stderr == "errata: Missing or invalid settings: ERRATA_LOG_FORMAT: must be text or json\n"


def test_a_start_that_fails_says_why_in_json_too(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no directory")
    ended = subprocess.run(
        [sys.executable, "-m", "errata", "up", "--data", str(tmp_path / "data")],
        env={"PYTHONPATH": ":".join(sys.path), "ERRATA_LOG_FORMAT": "json"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    for line in (ended.stdout + ended.stderr).splitlines():
        assert json.loads(line)["process"] == "supervisor"
    assert json.loads(ended.stderr.splitlines()[-1])["level"] == "ERROR"
