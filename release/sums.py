"""Checksums of a folder's files, as `sha256sum -c` reads them."""

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def write_sums(folder: Path) -> None:
    files = sorted(path for path in folder.iterdir() if path.name != NAME)
    (folder / NAME).write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
