"""`make release` in a clone: refused until the version has its section, and then complete."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from errata import __version__
from release.distributions import DISTRIBUTIONS
from release.sums import NAME
from tests.release_clone import NEXT, clone_into, give_version, make

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(shutil.which("make") is None, reason="releases by make"),
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone_into(tmp_path_factory.mktemp("release") / "clone")


def test_a_release_from_a_clone(clone: Path) -> None:
    refused = make(clone, "release")
    assert refused.returncode == 2, refused.stderr
    assert f"not released: CHANGELOG.md doesn't date its section for {__version__}" in refused.stderr
    give_version(clone)
    done = make(clone, "release", "TAG=yes")
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
        materials = json.loads((dist / bill).read_text())
        assert [one["name"] for one in materials["components"] if not one.get("licenses")] == []
        assert len(materials["components"]) == len({one["bom-ref"] for one in materials["components"]}) > 2
        described = materials["metadata"]["component"]
        assert (described["name"], described["version"]) == (distribution.name, NEXT)
        assert described["hashes"] == [{"alg": "SHA-256", "content": listed[wheel.name]}]
    again = make(clone, "release", "TAG=yes")
    assert again.returncode == 2 and f"the tag v{NEXT} already exists" in again.stderr
