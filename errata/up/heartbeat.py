"""The files that the pipelines touch."""

from pathlib import Path


def alive_path(heartbeat_path: Path) -> Path:
    """Touched as long as the pipelines run; the heartbeat itself, as long as they build."""
    return heartbeat_path.with_name(heartbeat_path.name + "-alive")
