"""`make release` in a clone: refused until the version has its section, and then complete."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from errata import __version__
from release.distributions import DISTRIBUTIONS, ROOT
from release.sums import NAME

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("make") is None, reason="releases by make"),
]
NEXT = "99.1.0"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    for name, value in (("name", "Anna"), ("email", "anna@example.com")):
        subprocess.run(["git", "config", f"user.{name}", value], cwd=folder, check=True)
    return folder


def make(clone: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        ["make", "release", *arguments], cwd=clone, env=environment, capture_output=True, text=True
    )


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


def test_a_release_from_a_clone(clone: Path) -> None:
    refused = make(clone)
    assert refused.returncode == 2, refused.stderr
    assert f"not released: CHANGELOG.md doesn't date its section for {__version__}" in refused.stderr
    give_version(clone)
    done = make(clone, "TAG=yes")
    assert done.returncode == 0, done.stderr
    assert f"tagged v{NEXT}" in done.stdout
    tag = subprocess.run(["git", "cat-file", "-t", f"v{NEXT}"], cwd=clone, capture_output=True, text=True)
    assert tag.stdout == "tag\n"
    dist = clone / "dist"
    lines = (dist / NAME).read_text().splitlines()
    listed = {name: sha256 for sha256, name in (line.split("  ") for line in lines)}
    assert listed == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in dist.iterdir()
        if path.name != NAME
    }
    for distribution in DISTRIBUTIONS:
        wheel, bill = dist / distribution.wheel_name(NEXT), f"{distribution.file_name}-{NEXT}.cdx.json"
        assert {wheel.name, distribution.sdist_name(NEXT), bill} <= listed.keys()
        described = json.loads((dist / bill).read_text())["metadata"]["component"]
        assert (described["name"], described["version"]) == (distribution.name, NEXT)
        assert described["hashes"] == [{"alg": "SHA-256", "content": listed[wheel.name]}]
    again = make(clone, "TAG=yes")
    assert again.returncode == 2 and f"the tag v{NEXT} exists already" in again.stderr
