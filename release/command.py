"""Programs that a release runs, with nothing of this process's Python in their environment."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from release.errors import ReleaseRefused

LAST_LINES = 15


def clean_environment() -> dict[str, str]:
    """Without variables that would lead an empty environment to other packages or settings."""
    own = ("PYTHON", "VIRTUAL_ENV", "ERRATA_", "SENTRY_")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


def run(*command: str | Path, cwd: Path | None = None, timeout_seconds: int = 900) -> str:
    """What the program wrote to its standard output; a failure says its last lines."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ReleaseRefused(f"{_short(words)} didn't run: {error}") from error
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-LAST_LINES:])
        raise ReleaseRefused(f"{_short(words)} ended with {done.returncode}:\n{said}")
    return done.stdout


def _short(words: Sequence[str]) -> str:
    return " ".join(words[:4])
