"""The files of a running service, whose warehouse merges meanwhile: files come and go."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def paths_below(directory: Path) -> Iterator[Path]:
    """Files, links and folders that were there when their folder was listed."""
    for folder, folders, files in os.walk(directory):
        yield from (Path(folder, name) for name in (*folders, *files))


def statuses(directory: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Of the directory and everything in it that is still there, links themselves."""
    for path in (directory, *paths_below(directory)):
        with suppress(FileNotFoundError):
            yield path, path.lstat()


def contents(directory: Path) -> Iterator[tuple[Path, bytes]]:
    """Of all files that are still there. What a merged file held is in the file it was merged into."""
    for path in paths_below(directory):
        if path.is_file():
            with suppress(FileNotFoundError):
                yield path, path.read_bytes()
