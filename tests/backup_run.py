"""Runs with backups, as they are recorded."""

from datetime import datetime
from typing import Any

from errata.state.backup_runs import BackupRun, Kind


def a_backup_run(
    destination: str,
    began_at: datetime,
    ended_at: datetime | None = None,
    *,
    kind: Kind = Kind.BACKUP,
    **others: Any,
) -> BackupRun:
    run: dict[str, Any] = {"kind": kind, "destination": destination, "name": "a", "began_at": began_at}
    return BackupRun(**run, ended_at=ended_at or began_at, **others)
