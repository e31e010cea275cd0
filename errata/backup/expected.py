"""The backups that an operator expects: where, and how often."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

HOURS = 26
SCHEME = "s3://"


@dataclass(frozen=True)
class Expected:
    """`destination`: a directory, whole, or `s3://bucket/prefix`; empty: none is expected. `within`: the
    greatest age of the last backup."""

    destination: str = ""
    within: timedelta = timedelta(hours=HOURS)

    @classmethod
    def of(cls, directory: str, hours: int = HOURS) -> "Expected":
        return cls(destination(directory) if directory else "", timedelta(hours=hours))


NONE_EXPECTED = Expected()


def destination(directory: str | Path) -> str:
    """As backups are recorded by it."""
    if is_bucket(str(directory)):
        return str(directory).rstrip("/")
    return str(Path(directory).expanduser().resolve())


def is_bucket(directory: str) -> bool:
    """Whether it is `s3://bucket/prefix`."""
    return directory.startswith(SCHEME)
