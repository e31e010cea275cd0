"""Interpreters of this machine that a release is tried with."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from release.errors import ReleaseRefused

VERSIONS = ("3.11", "3.12", "3.13")
ASKED = "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:2])))"


def found_pythons() -> dict[str, Path]:
    """By version. Without the oldest and without the newest, a release would be tried with neither end."""
    found = {version: path for version in VERSIONS if (path := _python(version))}
    if not {VERSIONS[0], VERSIONS[-1]} & found.keys():
        raise ReleaseRefused(f"neither Python {VERSIONS[0]} nor Python {VERSIONS[-1]} is on this machine")
    return found


def own_version() -> str:
    return ".".join(map(str, sys.version_info[:2]))


def _python(version: str) -> Path | None:
    return next((path for path in _candidates(version) if _is_usable(path, version)), None)


def _candidates(version: str) -> Iterator[Path]:
    if version == own_version():
        yield Path(sys.executable)
    if on_path := shutil.which(f"python{version}"):
        yield Path(on_path)
    yield from sorted((Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python"), reverse=True)
    if uv := shutil.which("uv"):
        asked = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            yield Path(asked.stdout.strip())


def _is_usable(path: Path, version: str) -> bool:
    """A name on the PATH may lead to a program that only says that the version isn't chosen."""
    try:
        asked = subprocess.run(
            [path, "-I", "-c", ASKED], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and asked.stdout.strip() == version
