"""The job that keeps links to tracker issues up to date."""

from datetime import UTC, datetime, timedelta

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.tracker_issues import refresh
from errata.state.integrations import Integration
from errata.state.tracker_links import TrackerLink
from errata.trackers.errors import TrackerBusy

EVERY_SECONDS = 60.0
OPEN_FOR = timedelta(minutes=5)
CLOSED_FOR = timedelta(hours=1)
LINKS_A_RUN = 60


def tracker_link_job(context: Context) -> Job:
    schedule = FairSchedule()
    return Job("linked_issues", lambda run: refresh_due(context, run, schedule), EVERY_SECONDS)


def refresh_due(context: Context, run: Run, schedule: FairSchedule) -> None:
    """Refreshes the links fetched longest ago; a tracker that limits requests rests until it allows more."""
    now = datetime.now(UTC)
    due = context.state.tracker_links.due(now - OPEN_FOR, now - CLOSED_FOR, LINKS_A_RUN)
    busy: set[str] = set()

    def refresh_link(each: tuple[TrackerLink, Integration]) -> None:
        link, integration = each
        if integration.id in busy:
            return
        try:
            refresh(context, link, integration)
        except TrackerBusy:
            busy.add(integration.id)

    schedule.each(run, due, lambda each: f"integration {each[1].id}", refresh_link)
