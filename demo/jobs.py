"""Jobs that the shop runs by the clock: as the weeks before had them, and from now on."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from cronsim import CronSim
from errata_sdk.line import line_of
from sentry_sdk.crons import monitor
from sentry_sdk.types import MonitorConfig

from demo import story

MARGIN = timedelta(minutes=10)


@dataclass(frozen=True)
class Run:
    job: story.Job
    began: datetime

    @property
    def ended(self) -> datetime:
        return self.began + timedelta(seconds=self.job.lasts_s)

    def line(self, status: str, app_key: str) -> bytes:
        """Of the check-in that it begins or ends with."""
        at = self.began if status == "in_progress" else self.ended
        number = uuid5(NAMESPACE_URL, f"{self.job.slug} {self.began}")
        payload = {
            "check_in_id": number.hex,
            "monitor_slug": self.job.slug,
            "status": status,
            "environment": "production",
            "monitor_config": config_of(self.job),
        }
        return line_of("check_in", app_key, {}, payload, now=at.timestamp())


def config_of(job: story.Job) -> MonitorConfig:
    margin = int(MARGIN / timedelta(minutes=1))
    return {
        "schedule": {"type": "crontab", "value": job.crontab},
        "timezone": "UTC",
        "checkin_margin": margin,
        "max_runtime": margin,
    }


def runs_of(day: datetime, now: datetime) -> Iterator[tuple[Run, str]]:
    """Those of a day of the past, each with the status that it ended with."""
    for job in story.JOBS:
        for began in _times(job, day - timedelta(seconds=1), day + timedelta(days=1)):
            days_ago = (now - began).days
            if days_ago not in job.missed:
                yield Run(job, began), "error" if days_ago in job.failed else "ok"


def keep_running(stopping: threading.Event) -> None:
    """Runs the jobs when their time comes, and those that are late at the start."""
    since = datetime.now(UTC) - MARGIN / 2
    while True:
        now = datetime.now(UTC)
        for job in story.JOBS:
            for _ in _times(job, since, now):
                _run(job)
        since = now
        if stopping.wait(5):
            return


def _run(job: story.Job) -> None:
    with monitor(monitor_slug=job.slug, monitor_config=config_of(job)):
        time.sleep(job.lasts_s)


def _times(job: story.Job, after: datetime, until: datetime) -> Iterator[datetime]:
    """Of the schedule, later than the first moment and not later than the second."""
    for moment in CronSim(job.crontab, after):
        if moment > until:
            return
        yield moment
