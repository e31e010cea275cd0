"""What was done with backups: made, verified, restored in a drill."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import BigInteger, String

from errata.state.database import Database
from errata.state.repository import Repository
from errata.state.table import Table, objects

KEPT = 500
LONGEST_DETAIL = 2000


class Kind(StrEnum):
    BACKUP = "backup"
    VERIFICATION = "verification"
    DRILL = "drill"


class Outcome(StrEnum):
    """`different`: the drill's results differ; `not_compared`: the drill found no days to compare."""

    PASSED = "passed"
    FAILED = "failed"
    DIFFERENT = "different"
    NOT_COMPARED = "not_compared"


class BackupRun(Table):
    """`destination`: the backup directory; `name`: the folder in it, empty if there is none; `bytes`:
    of this folder; `detail`: what failed or differs."""

    __tablename__ = "backup_runs"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True, default=None, compare=False)
    kind: Mapped[Kind]
    destination: Mapped[str] = mapped_column(String(1000))
    name: Mapped[str] = mapped_column(String(40), default="")
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    outcome: Mapped[Outcome] = mapped_column(default=Outcome.PASSED)
    detail: Mapped[str] = mapped_column(default="")

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
        passed = BackupRun.outcome == Outcome.PASSED
        restored = BackupRun.outcome.in_([Outcome.PASSED, Outcome.NOT_COMPARED])
        is_drill = BackupRun.kind == Kind.DRILL
        is_verification = BackupRun.kind == Kind.VERIFICATION
        is_backup = BackupRun.kind == Kind.BACKUP
        return LastRuns(
            good=self._last(destination, is_backup & passed),
            backup=self._last(destination, is_backup),
            sound=self._last(destination, (is_verification & passed) | (is_drill & restored)),
            verification=self._last(destination, is_verification),
            drill=self._last(destination, is_drill),
        )

    def _last(self, destination: str, condition: ColumnElement[bool]) -> BackupRun | None:
        here = BackupRun.destination == destination if destination else None
        wanted = condition if here is None else and_(here, condition)
        query = select(BackupRun).where(wanted).order_by(BackupRun.id.desc()).limit(1)
        with self._database.reading() as connection:
            return next(iter(objects(BackupRun, connection.execute(query))), None)


def record_backup_run(database: Database, run: BackupRun) -> None:
    """Adds a run, and forgets those before the last 500. Raises StateUnavailable."""
    values = asdict(replace(run, detail=run.detail[:LONGEST_DETAIL]))
    del values["id"]
    with database.writing() as connection:
        made = connection.execute(insert(BackupRun).values(values))
        (row_id,) = made.inserted_primary_key or (0,)
        connection.execute(delete(BackupRun).where(BackupRun.id <= row_id - KEPT))
