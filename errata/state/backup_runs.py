"""What was done with backups: made, verified, restored in a drill."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, delete, insert, select

from errata.state.database import Database
from errata.state.repository import Repository
from errata.state.tables import backup_runs

KEPT = 500
LONGEST_DETAIL = 2000


class Kind(StrEnum):
    BACKUP = "backup"
    VERIFICATION = "verification"
    DRILL = "drill"


class Outcome(StrEnum):
    """`different`: a drill whose answers differ; `not_compared`: one that found no days to compare."""

    PASSED = "passed"
    FAILED = "failed"
    DIFFERENT = "different"
    NOT_COMPARED = "not_compared"


@dataclass(frozen=True, slots=True)
class BackupRun:
    """`destination`: the backup directory; `name`: the folder in it, empty if there is none; `bytes`:
    of this folder; `detail`: what failed or differs."""

    kind: Kind
    destination: str
    name: str
    began_at: datetime
    ended_at: datetime
    bytes: int = 0
    outcome: Outcome = Outcome.PASSED
    detail: str = ""

    @property
    def seconds(self) -> float:
        return (self.ended_at - self.began_at).total_seconds()


@dataclass(frozen=True, slots=True)
class LastRuns:
    """The last of each kind; `good`: the last complete backup, `sound`: the last verification or drill that
    found backups restorable."""

    good: BackupRun | None = None
    backup: BackupRun | None = None
    sound: BackupRun | None = None
    verification: BackupRun | None = None
    drill: BackupRun | None = None


class BackupRuns(Repository):
    def last(self, destination: str = "") -> LastRuns:
        """Of one directory, or of any."""
        columns = backup_runs.c
        passed = columns.outcome == Outcome.PASSED
        restored = columns.outcome.in_([Outcome.PASSED, Outcome.NOT_COMPARED])
        is_drill = columns.kind == Kind.DRILL
        is_verification = columns.kind == Kind.VERIFICATION
        is_backup = columns.kind == Kind.BACKUP
        return LastRuns(
            good=self._last(destination, is_backup & passed),
            backup=self._last(destination, is_backup),
            sound=self._last(destination, (is_verification & passed) | (is_drill & restored)),
            verification=self._last(destination, is_verification),
            drill=self._last(destination, is_drill),
        )

    def _last(self, destination: str, condition: ColumnElement[bool]) -> BackupRun | None:
        here = backup_runs.c.destination == destination if destination else None
        wanted = condition if here is None else and_(here, condition)
        query = select(backup_runs).where(wanted).order_by(backup_runs.c.id.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            return None
        given = {
            name: row[name] for name in ("destination", "name", "began_at", "ended_at", "bytes", "detail")
        }
        return BackupRun(Kind(row["kind"]), outcome=Outcome(row["outcome"]), **given)


def record_backup_run(database: Database, run: BackupRun) -> None:
    """Adds a run, and forgets those before the last 500. Raises StateUnavailable."""
    values = {
        "kind": run.kind.value,
        "destination": run.destination,
        "name": run.name,
        "began_at": run.began_at,
        "ended_at": run.ended_at,
        "bytes": run.bytes,
        "outcome": run.outcome.value,
        "detail": run.detail[:LONGEST_DETAIL],
    }
    with database.writing() as connection:
        made = connection.execute(insert(backup_runs).values(values))
        (row_id,) = made.inserted_primary_key or (0,)
        connection.execute(delete(backup_runs).where(backup_runs.c.id <= row_id - KEPT))
