"""How others see that the pipelines work: a file on this host, a row in the state store elsewhere."""

from pathlib import Path


def touch(path: Path | None) -> None:
    """For the supervisor on this host, as long as the process lives."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
