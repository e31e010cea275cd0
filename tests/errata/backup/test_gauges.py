"""What an operator is told of backups, and when."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from errata.backup.expected import Expected
from errata.backup.gauges import problems
from errata.state.backup_runs import BackupRun, Kind, LastRuns, Outcome
from tests.backup_run import a_backup_run

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
HERE = Expected.of("/backups/errata")


def ran(kind: Kind, ago: timedelta, outcome: Outcome = Outcome.PASSED, detail: str = "") -> BackupRun:
    began_at = NOW - ago
    return a_backup_run("/backups/errata", began_at, kind=kind, bytes=1, outcome=outcome, detail=detail)


GOOD = ran(Kind.BACKUP, timedelta(hours=25))
SOUND = ran(Kind.VERIFICATION, timedelta(days=7))
WELL = LastRuns(GOOD, GOOD, SOUND, SOUND)


def test_a_fresh_backup_of_a_verified_directory_is_well() -> None:
    assert problems(HERE, WELL, NOW) == []


def test_nothing_is_wrong_where_none_is_expected() -> None:
    assert problems(Expected(), LastRuns(), NOW) == []


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (LastRuns(), "There is no complete backup"),
        (replace(WELL, good=ran(Kind.BACKUP, timedelta(hours=27))), "over 26 hours ago"),
        (
            replace(WELL, backup=ran(Kind.BACKUP, timedelta(0), Outcome.FAILED, "no space left")),
            "no space left",
        ),
        (replace(WELL, sound=None), "ever been verified"),
        (replace(WELL, sound=ran(Kind.DRILL, timedelta(days=9))), "last verified"),
        (
            replace(WELL, verification=ran(Kind.VERIFICATION, timedelta(0), Outcome.FAILED, "a was changed")),
            "a was changed",
        ),
        (
            replace(WELL, drill=ran(Kind.DRILL, timedelta(0), Outcome.DIFFERENT, "issues of shop")),
            "issues of shop",
        ),
    ],
)
def test_each_lack_is_told_with_a_remedy(last: LastRuns, said: str) -> None:
    (problem,) = problems(HERE, last, NOW)
    assert said in problem.said and problem.remedy
