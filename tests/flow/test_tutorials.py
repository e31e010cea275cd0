"""The first tutorial is done as it stands, and shows what it says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.service import running
from tests.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = (Path(__file__).parents[2] / "docs/first-error.md").read_text()
BLOCK = re.compile(r"```(sh|python)\n(.*?)```", re.DOTALL)


def test_the_first_error_is_found_counted_resolved_and_back(tmp_path: Path) -> None:
    (_, start), (_, read), (_, install), (_, program), (_, send), (_, again) = BLOCK.findall(PAGE)
    assert "errata up --data .errata --port 8000" in start
    with running("--no-pipelines", directory=tmp_path / ".errata") as service:
        known = service.credentials

        def issues(status: str) -> list[dict[str, Any]]:
            listed: list[dict[str, Any]] = service.ask(f"issues?status={status}")["issues"]
            return listed

        def shell(commands: str) -> str:
            # The virtual environment of the tests has the SDK: nothing is fetched.
            commands = commands.replace("python3 -m venv tmp-shop\ntmp-shop/bin/pip install sentry-sdk\n", "")
            commands = commands.replace("tmp-shop/bin/python", sys.executable)
            ended = subprocess.run(
                ["bash", "-ec", commands], cwd=tmp_path, capture_output=True, text=True, env=environment
            )
            assert ended.returncode == 0, ended.stderr
            return ended.stdout + ended.stderr

        environment = {**os.environ, "SENTRY_DSN": known["dsn"]}
        assert json.loads(shell(read)) == dict(known)
        shell(install)
        (tmp_path / "tmp-shop").mkdir()
        (tmp_path / "tmp-shop/cart.py").write_text(program)
        said = shell(send)
        assert "165" in said and "KeyError: 'sofa'" in said
        wait_until(lambda: [issue["title"] for issue in issues("unresolved")] == ["KeyError: 'sofa'"])
        for _ in range(2):
            shell(send)
        wait_until(lambda: [issue["event_count"] for issue in issues("unresolved")] == [3])
        (issue,) = issues("unresolved")
        service.ask("issues/actions", "POST", {"action": "resolve", "ids": [issue["id"]]})
        wait_until(lambda: issues("unresolved") == [])
        shell(again)
        wait_until(lambda: [issue["status"] for issue in issues("regressed")] == ["regressed"])
