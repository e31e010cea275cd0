from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select

from errata.state import Store
from errata.state.backup_runs import KEPT, BackupRun, Kind, LastRuns, Outcome, record_backup_run
from tests.backup_run import a_backup_run
from tests.errata.state.conftest import Clock

HERE = "/backups/errata"


def run(clock: Clock, kind: Kind, outcome: Outcome = Outcome.PASSED) -> BackupRun:
    began_at = clock.now
    clock.advance(timedelta(minutes=1))
    return a_backup_run(HERE, began_at, clock.now, kind=kind, bytes=5, outcome=outcome)


def test_the_last_of_each_kind_is_known_by_directory(store: Store, clock: Clock) -> None:
    good, failed = run(clock, Kind.BACKUP), run(clock, Kind.BACKUP, Outcome.FAILED)
    sound, other = run(clock, Kind.VERIFICATION), replace(good, destination="/elsewhere", bytes=7)
    drill = run(clock, Kind.DRILL, Outcome.DIFFERENT)
    for each in (good, sound, failed, drill, other):
        record_backup_run(store.database, each)
    assert store.backup_runs.last(HERE) == LastRuns(good, failed, sound, sound, drill)
    assert store.backup_runs.last("/elsewhere") == LastRuns(other, other)
    assert store.backup_runs.last().good == other
    assert store.backup_runs.last("/nowhere") == LastRuns()
    compared = run(clock, Kind.DRILL, Outcome.NOT_COMPARED)
    record_backup_run(store.database, compared)
    assert store.backup_runs.last(HERE).sound == compared


def test_old_runs_and_long_reasons_are_cut(store: Store, clock: Clock) -> None:
    long = replace(run(clock, Kind.BACKUP, Outcome.FAILED), detail="x" * 100_000)
    for _ in range(KEPT + 3):
        record_backup_run(store.database, long)
    with store.database.reading() as connection:
        count, longest = connection.execute(
            select(func.count(), func.max(func.length(BackupRun.detail)))
        ).one()
    assert (count, longest) == (KEPT, 2000)
