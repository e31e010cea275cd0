"""What docs/send.md says is run as it stands, and arrives."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.service import running
from tests.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = Path(__file__).parents[2] / "docs" / "send.md"
KEY, SERVICE, PROJECT = "errata_public_8Jq…", "errata.example.com", "3829473222"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


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
        said = blocks(service.credentials["dsn"])
        for name, more in (("Python", ""), ("Function", "handler({}, None)")):
            program = tmp_path / f"{name}.py"
            program.write_text(f"{said[name, 'python']}\n{more}\n")
            ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
            assert "KeyError: 'total'" in ended.stderr
        for name in ("Cron job", "Anything else"):
            subprocess.run(["sh", "-ec", said[name, "sh"]], check=True, capture_output=True)

        def arrived() -> bool:
            culprits = {(issue["title"], issue["culprit"]) for issue in service.ask("issues")["issues"]}
            jobs = {(monitor["slug"], monitor["state"]) for monitor in service.ask("monitors")["monitors"]}
            return culprits >= {
                ("KeyError: 'total'", "__main__ in <module>"),
                ("KeyError: 'total'", "__main__ in handler"),
                ("It works", ""),
            } and jobs == {("nightly-export", "ok")}

        wait_until(arrived)
