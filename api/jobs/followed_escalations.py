"""The job that notifies followers of issues that escalate, by the question of alert rules."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from api.context import Context
from api.followers import followed_issues
from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.job import Job, Run
from errata.alerts.evaluation import Question, events_of, sightings
from errata.state.notifications import Kind, NewNotification
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.alerts.clock import TICK
from errata.warehouse.queries.alerts.events import Sighting
from errata.warehouse.queries.alerts.issues import issue_titles
from errata.warehouse.queries.changes import SHOWN_WITHIN, Changes
from errata.warehouse.queries.vocabulary import issue_text

# After a start: what escalated while no node ran. What is known already is added only once.
LOOKED_BACK = timedelta(hours=1)


def followed_escalation_job(context: Context) -> Job:
    changes = Changes(context.read)
    until: datetime | None = None

    def work(run: Run) -> None:
        nonlocal until
        projects = context.read.reachable(context.state.subscriptions.followed_projects())
        probe = changes.probe(projects) if projects else None
        if probe is None:
            return
        now = warehouse_now(context.read)
        since = until - SHOWN_WITHIN if until else now - LOOKED_BACK
        failed: Failed = []
        for project_id in projects:
            with noted_in(failed, f"project {project_id}"):
                tell_followers(context, project_id, since, now)
        raise_if_any(failed)
        changes.note(probe)
        until = now

    return Job("followed_escalations", work, TICK.total_seconds())


def tell_followers(context: Context, project_id: int, since: datetime, until: datetime) -> None:
    """Notifies of every hour between these moments in which a followed issue escalated."""
    question = Question(project_id, "escalating", {}, "", 0)
    found = sightings(events_of(context.read, question, until), question, since, until)
    followed = followed_issues(context.state, context.read, [project_id]) if found else {}
    told = [each for each in found if (project_id, each.issue_id) in followed]
    titles = issue_titles(context.read, project_id, sorted({each.issue_id for each in told})) if told else {}

    def new() -> Iterator[NewNotification]:
        for each in told:
            title, _culprit = titles.get(each.issue_id, ("", ""))
            for one in followed[project_id, each.issue_id]:
                yield _escalated(one.email, project_id, each, title)

    context.state.notifications.add(list(new()))


def _escalated(email: str, project_id: int, found: Sighting, title: str) -> NewNotification:
    issue_id = issue_text(found.issue_id)
    return NewNotification(
        email,
        project_id,
        Kind.ESCALATED,
        f"escalated/{project_id}/{issue_id}",
        found.at,
        issue_id,
        title=title,
        detail=f"{found.value:,} events in an hour, more than its history predicts",
        is_mailed=True,
    )
