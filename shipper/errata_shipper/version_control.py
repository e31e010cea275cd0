import os
import subprocess
from enum import Enum
from pathlib import Path

_GIT_SECONDS = 2.0


class Tracking(Enum):
    NONE = "none"
    TRACKED = "tracked"
    # In a repository's folder, and not ignored: the next `git add .` takes it.
    ADDABLE = "addable"


def tracking_of(file: Path) -> Tracking:
    """What git thinks of the file; NONE where there is no git, no repository or no timely answer."""
    folder = file.absolute().parent
    if not any((parent / ".git").exists() for parent in (folder, *folder.parents)):
        return Tracking.NONE
    if _git(folder, "ls-files", "--error-unmatch", "--", file.name) == 0:
        return Tracking.TRACKED
    is_addable = _git(folder, "check-ignore", "--quiet", "--", file.name) == 1
    return Tracking.ADDABLE if is_addable else Tracking.NONE


def _git(folder: Path, *arguments: str) -> int | None:
    # A repository's own settings can name programs that git runs to look at its files: not for us.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=_GIT_SECONDS, check=False
        ).returncode
    except (OSError, subprocess.SubprocessError):
        return None
