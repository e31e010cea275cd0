"""Backups of the service in words. Their directory and what a run reported are the operator's alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.backup.expected import Expected
from errata.backup.gauges import problems
from errata.reports import formats
from errata.state.backup_runs import BackupRun, LastRuns, Outcome

NONE_YET = "No backups yet. Run errata backup every night, from a timer."
NOT_WATCHED = "Set ERRATA_BACKUP_DIR to monitor the age of backups."
OUTCOME_WORDS = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.DIFFERENT: "restored, but some results differ",
    Outcome.NOT_COMPARED: "restored; not enough data to compare",
}


@dataclass(frozen=True, slots=True)
class ShownBackups:
    facts: Sequence[tuple[str, str]]
    problems: Sequence[str]
    hint: str


def shown_backups(expected: Expected, last: LastRuns, now: datetime) -> ShownBackups:
    found = [problem.said.partition(": ")[0] + "." for problem in problems(expected, last, now)]
    hint = "" if expected.destination else NOT_WATCHED
    return ShownBackups(list(_facts(last, now)), found, hint if last.backup else NONE_YET)


def _facts(last: LastRuns, now: datetime) -> Iterator[tuple[str, str]]:
    if last.good is not None:
        good = last.good
        yield "Last complete backup", f"began {formats.relative(good.began_at, now)}"
        yield "Size and duration", f"{formats.size(good.bytes)} in {formats.duration(good.seconds * 1000)}"
        yield "Last found restorable", _moment(last.sound, now)
    if last.drill is not None:
        yield "Last restore drill", f"{_moment(last.drill, now)}: {OUTCOME_WORDS[last.drill.outcome]}"


def _moment(run: BackupRun | None, now: datetime) -> str:
    return formats.relative(run.began_at, now) if run is not None else "never"
