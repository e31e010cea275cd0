"""docs/operations.md and the unit: commands that there are, and a unit that systemd accepts on each node."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from errata.command_line import command_line
from tests.cases import each

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"(?:^|`)(?:/opt/errata/bin/)?errata ((?:[\w-]+ ?)+.*?)(?:`|  +#|$)", re.MULTILINE)
CHANGES = re.findall(r"^\[Service\]\n(?:\w+=.*\n)+", (ROOT / "docs/nodes.md").read_text(), re.MULTILINE)


def commands() -> list[str]:
    found = COMMAND.findall((ROOT / "docs" / "operations.md").read_text())
    assert len(found) > 10
    return [command.strip() for command in found]


@each("command", commands())
def test_each_command_of_the_page_is_one(command: str) -> None:
    command_line().parse_args(command.split())


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
@each("change", ["", *CHANGES])
def test_systemd_accepts_the_unit_also_as_changed_for_a_node(change: str) -> None:
    with TemporaryDirectory() as folder:
        unit, changed = Path(folder) / "errata.service", Path(folder) / "errata.service.d/node.conf"
        unit.write_text(installed((ROOT / unit.name).read_text()))
        changed.parent.mkdir()
        changed.write_text(installed(change))
        checked = subprocess.run(
            ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
        )
    said = [line for line in checked.stderr.splitlines() if "errata.service" in line]
    assert checked.returncode == 0 and not said, checked.stderr


def installed(unit: str) -> str:
    """With the programs of this environment."""
    return unit.replace("/opt/errata/bin", str(Path(sys.executable).parent))


def test_units_of_nodes_are_found() -> None:
    assert [change.count("ExecStart=/opt/errata/bin/") for change in CHANGES] == [1, 1]
