"""What git knows of the repository."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from release.errors import ReleaseRefused


def changed_files(root: Path) -> list[str]:
    """Files that differ from the commit, or that it doesn't have; ignored ones don't count."""
    return [line[3:] for line in _git(root, "status", "--porcelain").splitlines()]


def tracked_files(root: Path) -> frozenset[str]:
    return frozenset(_git(root, "ls-files", "-z").split("\0")) - {""}


def refuse_changes(root: Path) -> None:
    if changed := changed_files(root):
        raise ReleaseRefused("the tree has changes that aren't committed: " + _listed(changed))


def refuse_tag(root: Path, tag: str) -> None:
    if _git(root, "tag", "--list", tag).strip():
        raise ReleaseRefused(f"the tag {tag} already exists")


def current_commit(root: Path) -> str:
    return _git(root, "rev-parse", "HEAD").strip()


def create_tag(root: Path, tag: str, message: str, commit: str) -> None:
    """An annotated tag of the commit that was built, whatever was committed since."""
    _git(root, "tag", "--annotate", tag, "--message", message, commit)


def _listed(names: Iterable[str], most: int = 10) -> str:
    every = sorted(names)
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseRefused(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout
