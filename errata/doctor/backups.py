"""The backups of a service, as its state store knows them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from errata.backup.expected import HOURS, Expected, is_bucket
from errata.backup.gauges import problems
from errata.doctor.finding import Finding
from errata.reports import formats
from errata.state.backup_runs import BackupRun, BackupRuns, LastRuns
from errata.state.database import Database

DIRECTORY, LIMIT = "ERRATA_BACKUP_DIR", "ERRATA_BACKUP_HOURS"
NOT_EXPECTED = f"not monitored: set {DIRECTORY} to monitor their age"


def expected_of(environ: Mapping[str, str]) -> Expected:
    """A limit that is no number is the default: the programs refuse it themselves."""
    hours = environ.get(LIMIT, "")
    return Expected.of(environ.get(DIRECTORY, ""), int(hours) if hours.isdigit() else HOURS)


def findings(database: Database, expected: Expected) -> Iterator[Finding]:
    now, last = database.now(), BackupRuns(database, b"").last(expected.destination)
    found = problems(expected, last, now)
    for problem in found:
        yield Finding("backups", problem.said, problem.remedy)
    if last.good is not None and expected.destination and _is_gone(last.good):
        yield Finding(
            "backups",
            f"{last.good.name} is gone from {last.good.destination}",
            "Mount its disk, or run `errata backup` again",
        )
    if not found:
        yield Finding("backups", _said(last, database) if last.good else NOT_EXPECTED)


def _said(last: LastRuns, database: Database) -> str:
    assert last.good is not None
    now, good = database.now(), last.good
    said = f"{good.name} in {good.destination}, started {formats.relative(good.began_at, now)}"
    said += f", {formats.size(good.bytes)} in {formats.duration(good.seconds * 1000)}"
    if last.sound is not None:
        said += f"; verified {formats.relative(last.sound.began_at, now)}"
    if last.drill is not None:
        words = last.drill.outcome.replace("_", " ")
        said += f"; drill {formats.relative(last.drill.began_at, now)}: {words}"
    return said


def _is_gone(good: BackupRun) -> bool:
    """A bucket is not asked: the doctor has no credentials for it."""
    return not is_bucket(good.destination) and not Path(good.destination, good.name).is_dir()
