"""What docs/send.md says is run as it stands, and arrives."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = Path(__file__).parents[2] / "docs" / "send.md"
KEY, SERVICE, PROJECT = "errata_public_8Jq…", "errata.example.com", "3829473222"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
LISTED_WITHIN_SECONDS = 60


def blocks(dsn: str) -> Mapping[tuple[str, str], str]:
    """The last block of each section and language, for a project."""
    rest = dsn.partition("://")[2]
    key, place, project = re.split("[@/]", rest)
    found = {}
    for section in PAGE.read_text().split("\n## ")[1:]:
        for language, block in BLOCK.findall(section):
            filled = block.replace(KEY, key).replace(PROJECT, project)
            filled = filled.replace(f"https://{SERVICE}", f"http://{place}").replace(SERVICE, place)
            found[section.partition("\n")[0], language] = filled.replace(f"https://{key}", f"http://{key}")
    return found


def test_each_program_of_the_page_is_in_its_project(tmp_path: Path) -> None:
    with running("--no-pipelines") as service:
        credentials = service.credentials

        def asked(what: str) -> list[dict[str, Any]]:
            headers = {"Authorization": f"Bearer {credentials['api_key']}"}
            path = f"{credentials['base_url']}/api/projects/{credentials['project']}/{what}"
            with urllib.request.urlopen(urllib.request.Request(path, headers=headers)) as answer:
                found: list[dict[str, Any]] = json.load(answer)[what]
                return found

        said = blocks(credentials["dsn"])
        for name, more in (("Python", ""), ("Function", "handler({}, None)")):
            program = tmp_path / f"{name}.py"
            program.write_text(f"{said[name, 'python']}\n{more}\n")
            ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
            assert "KeyError: 'total'" in ended.stderr
        for name in ("Cron job", "Anything else"):
            subprocess.run(["sh", "-ec", said[name, "sh"]], check=True, capture_output=True)

        def arrived() -> bool:
            culprits = {(issue["title"], issue["culprit"]) for issue in asked("issues")}
            jobs = {(monitor["slug"], monitor["state"]) for monitor in asked("monitors")}
            return culprits >= {
                ("KeyError: 'total'", "__main__ in <module>"),
                ("KeyError: 'total'", "__main__ in handler"),
                ("It works", ""),
            } and jobs == {("nightly-export", "ok")}

        wait_until(arrived)


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + LISTED_WITHIN_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)
