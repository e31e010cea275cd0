"""The first tutorial is done as it stands, and shows what it says."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = (Path(__file__).parents[2] / "docs/first-error.md").read_text()
BLOCK = re.compile(r"```(sh|python)\n(.*?)```", re.DOTALL)
SHOWN_WITHIN_SECONDS = 60


def test_the_first_error_is_found_counted_resolved_and_back(tmp_path: Path) -> None:
    (_, start), (_, read), (_, install), (_, program), (_, send), (_, again) = BLOCK.findall(PAGE)
    assert "errata up --data .errata --port 8000" in start
    with running("--no-pipelines", directory=tmp_path / ".errata") as service:
        known = service.credentials

        def asked(method: str, path: str, body: object = None) -> Any:
            headers = {"Authorization": f"Bearer {known['api_key']}", "Content-Type": "application/json"}
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(known["base_url"] + path, data, headers, method=method)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)

        def issues(status: str) -> list[dict[str, Any]]:
            found = asked("GET", f"/api/projects/{known['project']}/issues?status={status}")
            listed: list[dict[str, Any]] = found["issues"]
            return listed

        def shell(commands: str) -> str:
            # The virtual environment of the tests has the SDK: nothing is fetched.
            commands = commands.replace("python3 -m venv shop\nshop/bin/pip install sentry-sdk\n", "")
            commands = commands.replace("shop/bin/python", sys.executable)
            ended = subprocess.run(
                ["bash", "-ec", commands], cwd=tmp_path, capture_output=True, text=True, env=environment
            )
            assert ended.returncode == 0, ended.stderr
            return ended.stdout + ended.stderr

        environment = {**os.environ, "SENTRY_DSN": known["dsn"]}
        assert json.loads(shell(read)) == dict(known)
        shell(install)
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop/cart.py").write_text(program)
        said = shell(send)
        assert "165" in said and "KeyError: 'sofa'" in said
        wait_until(lambda: [issue["title"] for issue in issues("unresolved")] == ["KeyError: 'sofa'"])
        for _ in range(2):
            shell(send)
        wait_until(lambda: [issue["event_count"] for issue in issues("unresolved")] == [3])
        (issue,) = issues("unresolved")
        actions = f"/api/projects/{known['project']}/issues/actions"
        asked("POST", actions, {"action": "resolve", "ids": [issue["id"]]})
        wait_until(lambda: issues("unresolved") == [])
        shell(again)
        wait_until(lambda: [issue["status"] for issue in issues("regressed")] == ["regressed"])


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + SHOWN_WITHIN_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)
