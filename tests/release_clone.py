"""A clone of this repository, to release from, and its next version."""

import os
import re
import subprocess
from pathlib import Path

from errata import __version__
from release.distributions import DISTRIBUTIONS, ROOT

NEXT = "99.1.0"


def clone_into(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    for name, value in (("name", "Anna"), ("email", "anna@example.com")):
        subprocess.run(["git", "config", f"user.{name}", value], cwd=folder, check=True)
    return folder


def make(clone: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(["make", *arguments], cwd=clone, env=environment, capture_output=True, text=True)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def give_version(clone: Path) -> None:
    """As CONTRIBUTING.md says."""
    changelog = clone / "CHANGELOG.md"
    assert re.search(r"^## Unreleased\n\n- ", changelog.read_text(), re.MULTILINE)
    replace(changelog, "## Unreleased\n", f"## Unreleased\n\n## {NEXT} (2026-11-30)\n")
    for distribution in DISTRIBUTIONS:
        folder = distribution.path(clone)
        replace(folder / distribution.import_name / "__init__.py", __version__, NEXT)
        if distribution.name != "errata-wire":
            project = folder / "pyproject.toml"
            project.write_text(
                re.sub(rf"(errata-[^\"]*)=={__version__}", rf"\1=={NEXT}", project.read_text())
            )
    subprocess.run(
        ["git", "commit", "--quiet", "--all", "--message", f"Release {NEXT}"], cwd=clone, check=True
    )
