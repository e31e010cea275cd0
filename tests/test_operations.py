"""docs/operations.md and the unit beside it: commands that there are, and a unit that systemd accepts."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from errata.command_line import command_line
from tests.cases import each

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"(?:^|`)(?:/opt/errata/bin/)?errata ((?:[\w-]+ ?)+.*?)(?:`|  +#|$)", re.MULTILINE)


def commands() -> list[str]:
    found = COMMAND.findall((ROOT / "docs" / "operations.md").read_text())
    assert len(found) > 10
    return [command.strip() for command in found]


@each("command", commands())
def test_each_command_of_the_page_is_one(command: str) -> None:
    command_line().parse_args(command.split())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "errata.service"
    program = Path(sys.executable).parent / "errata"
    unit.write_text((ROOT / "errata.service").read_text().replace("/opt/errata/bin/errata", str(program)))
    checked = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    said = [line for line in checked.stderr.splitlines() if "errata.service" in line]
    assert checked.returncode == 0 and not said, checked.stderr
