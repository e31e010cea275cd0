"""`errata up` as a person runs it: real processes, real signals."""

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[3]
READY_WITHIN_SECONDS = 60


class Running:
    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [sys.executable, "-m", "errata", "up", "--data", str(data), "--no-pipelines", *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        self.said.extend(line.strip() for line in self.process.stdout)

    def wait_until_said(self, words: str, times: int = 1) -> None:
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while sum(words in line for line in list(self.said)) < times:
            assert time.monotonic() < deadline, f"said only {self.said}"
            assert self.process.poll() is None or any(words in line for line in self.said), self.said
            time.sleep(0.05)

    @property
    def credentials(self) -> dict[str, str]:
        stored: dict[str, str] = json.loads((self.data / "credentials.json").read_text())
        return stored

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def health(self) -> dict[str, Any]:
        unverified = ssl._create_unverified_context()
        url = f"{self.credentials['base_url']}/api/health"
        with urllib.request.urlopen(url, timeout=10, context=unverified) as answer:
            health: dict[str, Any] = json.load(answer)
        return health

    def regenerate_api_key(self) -> str:
        known = self.credentials
        signed_in = self._posted(
            "/api/auth/sign-in",
            json.dumps({name: known[name] for name in ("email", "password")}).encode(),
            {"Content-Type": "application/json"},
        )
        cookie = signed_in.headers["Set-Cookie"].partition(";")[0]
        token = json.load(signed_in)["csrf_token"]
        asked = self._posted("/api/api-key/regenerate", b"", {"Cookie": cookie, "X-CSRF-Token": token})
        return str(json.load(asked)["api_key"])

    def _posted(self, path: str, body: bytes, headers: dict[str, str]) -> Any:
        url = self.credentials["base_url"] + path
        return urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(40)
        self._listener.join(5)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def running(data: Path, *options: str) -> Iterator[Running]:
    service = Running(data, *options)
    try:
        service.wait_until_said("ready at")
        yield service
    finally:
        if service.process.poll() is None:
            service.stop()


@pytest.mark.slow
def test_the_first_start_creates_everything_and_a_restart_keeps_it(tmp_path: Path) -> None:
    data = tmp_path / "not" / "there"
    with running(data) as service:
        first = service.credentials
        assert set(first) == {"base_url", "dsn", "api_key", "app_key", "project", "email", "password"}
        assert (data / "credentials.json").stat().st_mode & 0o777 == 0o600
        checks = service.health()["checks"]
        assert checks.pop("watch") in ("starting", "ok")
        assert checks == {
            "warehouse": "ok",
            "state": "ok",
            "disk": "ok",
            "pipelines": "off",
            "backups": "off",
            "spool": "ok",
        }

        second = subprocess.run(
            [sys.executable, "-m", "errata", "up", "--data", str(data)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert second.returncode == 1
        assert f"process {service.process.pid}" in second.stderr and first["base_url"] in second.stderr

        analyst = address_for_analysts(data)
        with urllib.request.urlopen(analyst + "&query=select+count()+from+page_days") as answer:
            assert answer.read() == b"0\n"
        wait_for_projects(analyst, b"my-project\n")

        children = service.children()
        assert len(children) >= 2
        assert service.stop(signal.SIGINT) == 0
        assert not [child for child in children if child.is_running()]
    with running(data) as again:
        assert again.credentials == first
        assert address_for_analysts(data) == analyst
        assert again.regenerate_api_key() == again.credentials["api_key"] != first["api_key"]


def address_for_analysts(data: Path) -> str:
    """As `errata analyst` tells it."""
    asked = subprocess.run(
        [sys.executable, "-m", "errata", "analyst", "--data", str(data), "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        timeout=30,
        check=True,
    )
    facts = json.loads(asked.stdout)
    assert list(facts["projects"]) == ["my-project"]
    return "http://{host}:{port}/?user={user}&password={password}".format(**facts)


def wait_for_projects(analyst: str, slugs: bytes) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        with urllib.request.urlopen(analyst + "&query=select+slug+from+projects", timeout=10) as answer:
            if answer.read() == slugs:
                return
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.slow
def test_what_dies_is_restarted_and_said_so(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        for part, word in (("web", "uvicorn"), ("warehouse", "listener")):
            victim = next(child for child in service.children() if word in " ".join(child.cmdline()))
            victim.kill()
            service.wait_until_said(f"The {part} killed by SIGKILL")
            _wait_for_health(service)


def _wait_for_health(service: Running) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        try:
            if service.health()["status"] == "ok":
                return
        except (urllib.error.URLError, OSError):
            pass
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        children = service.children()
        assert service.stop(signal.SIGKILL) == -signal.SIGKILL
        _, alive = psutil.wait_procs(children, timeout=20)
        assert not alive


@pytest.mark.slow
def test_pages_are_served_over_tls_where_a_certificate_is_given(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {certificate} -days 2 "
        "-subj /CN=127.0.0.1",
        shell=True,
        capture_output=True,
    )
    if made.returncode != 0:
        pytest.skip("no openssl on this machine to make a certificate with")
    with running(tmp_path / "data", "--tls-cert", str(certificate), "--tls-key", str(key)) as service:
        assert service.credentials["base_url"].startswith("https://127.0.0.1:")
        assert service.health()["status"] == "ok"


def test_the_doctor_names_what_is_wrong_and_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "credentials.json").write_text("{}")
    (tmp_path / "credentials.json").chmod(0o644)
    asked = subprocess.run(
        [sys.executable, "-m", "errata", "doctor", "--data", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert asked.returncode == 1
    assert f"chmod 600 {tmp_path / 'credentials.json'}" in asked.stdout
    assert "engine: responded after" in asked.stdout


@pytest.mark.slow
def test_a_service_starts_on_a_full_disk_and_shows_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_API_DISK_FREE_MIN_BYTES", str(1 << 60))
    with running(tmp_path) as service:
        with pytest.raises(urllib.error.HTTPError) as refused:
            service.health()
        with refused.value as answer:
            checks = json.load(answer)["checks"]
        assert checks["warehouse"] == checks["state"] == "ok" and checks["disk"] != "ok"
        with urllib.request.urlopen(service.credentials["base_url"] + "/sign-in", timeout=10) as page:
            assert page.status == 200
        examined = subprocess.run(
            [sys.executable, "-m", "errata", "doctor", "--data", str(tmp_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert examined.returncode == 1
        assert "deliveries are refused because" in examined.stdout, examined.stdout
