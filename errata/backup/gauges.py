"""How old the last good backup is, and what is wrong with backups."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.backup.expected import Expected
from errata.reports import formats
from errata.state.backup_runs import BackupRun, LastRuns, Outcome

# A week between drills or verifications, and a day of grace.
SOUND_WITHIN = timedelta(days=8)


@dataclass(frozen=True)
class Problem:
    said: str
    remedy: str


def problems(expected: Expected, last: LastRuns, now: datetime) -> list[Problem]:
    """What is wrong; none where no backups are expected."""
    if not expected.destination:
        return []
    return [*_age(expected, last, now), *_soundness(last, now), *_drill(last.drill)]


def _age(expected: Expected, last: LastRuns, now: datetime) -> Iterator[Problem]:
    remedy = "Run `errata backup` from a timer, as described in docs/operations.md"
    if last.good is None:
        yield Problem("There is no complete backup", remedy)
    elif now - last.good.began_at > expected.within:
        limit = formats.plural(round(expected.within / timedelta(hours=1)), "hour")
        age = formats.relative(last.good.began_at, now)
        yield Problem(f"The last complete backup started {age}, over {limit} ago", remedy)
    if last.backup is not None and last.backup.outcome is Outcome.FAILED:
        yield Problem(f"The last backup failed: {last.backup.detail}", "Fix this, and run it again")


def _soundness(last: LastRuns, now: datetime) -> Iterator[Problem]:
    if last.good is None:
        return
    remedy = "Run `errata backup verify DIR` every week, from a timer"
    if last.sound is None:
        yield Problem("No backup has ever been verified", remedy)
    elif now - last.sound.began_at > SOUND_WITHIN:
        age = formats.relative(last.sound.began_at, now)
        yield Problem(f"Backups were last verified {age}", remedy)
    if last.verification is not None and last.verification.outcome is Outcome.FAILED:
        yield Problem(
            f"The last verification failed: {last.verification.detail}", "Start a new backup directory"
        )


def _drill(drill: BackupRun | None) -> Iterator[Problem]:
    if drill is None or drill.outcome in (Outcome.PASSED, Outcome.NOT_COMPARED):
        return
    what = "failed" if drill.outcome is Outcome.FAILED else "found different results"
    yield Problem(
        f"The last restore drill {what}: {drill.detail}",
        "Run `errata backup verify DIR`, then `errata backup drill DIR`",
    )
