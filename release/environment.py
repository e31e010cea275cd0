"""A virtual environment with wheels of ours and the locked versions of what they need, and nothing else."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from release.command import run
from release.distributions import DISTRIBUTIONS
from release.errors import ReleaseRefused
from release.locked import Locked

OURS = frozenset(distribution.name for distribution in DISTRIBUTIONS)


@dataclass(frozen=True, slots=True)
class Installed:
    """What pip chose."""

    name: str
    version: str
    sha256: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Environment:
    folder: Path
    locked: Locked

    @property
    def python(self) -> Path:
        return self.program("python")

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    def create(self, python: Path) -> None:
        run(python, "-I", "-m", "venv", self.folder)

    def install(self, *wheels: str) -> None:
        chosen_by_pip(self.python, self.locked, *wheels)


def chosen_by_pip(python: Path, locked: Locked, *arguments: str) -> tuple[Installed, ...]:
    """What `pip install` chose by these arguments; refuses what constraints.txt doesn't lock."""
    with tempfile.TemporaryDirectory() as temporary:
        pins, report = Path(temporary) / "pins.txt", Path(temporary) / "report.json"
        pins.write_text(locked.without_hashes)
        run(
            python, "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile",
            "--only-binary", ":all:", "--report", report, "--constraint", pins, *arguments,
            cwd=Path(temporary),
        )  # fmt: skip
        chosen = tuple(map(_installed, json.loads(report.read_text())["install"]))
    _refuse_unlocked(chosen, locked)
    return chosen


def _refuse_unlocked(chosen: tuple[Installed, ...], locked: Locked) -> None:
    problems = [
        f"{one.name} {one.version} has the hash {one.sha256}, which constraints.txt lacks"
        for one in chosen
        if one.name not in OURS and one.sha256 not in locked.hashes_of(one.name, one.version)
    ]
    if problems:
        raise ReleaseRefused(*problems)


def _installed(entry: dict[str, Any]) -> Installed:
    metadata = entry["metadata"]
    archive = entry["download_info"].get("archive_info", {})
    return Installed(
        metadata["name"], metadata["version"], archive.get("hashes", {}).get("sha256", ""), metadata
    )
