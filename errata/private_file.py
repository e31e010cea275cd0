"""Files with secrets in them."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, and readable by its owner only."""
    whole = path.with_name(path.name + ".new")
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    whole.replace(path)


def append_private(path: Path, text: str) -> None:
    """Makes the file its owner's alone, also one that others could read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(text)
        file.flush()
        os.fsync(descriptor)
