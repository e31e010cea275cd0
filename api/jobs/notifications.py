"""The job that notifies people of what happened to their issues, from the log of decisions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

from api.context import Context
from api.jobs.failures import Failed, bisected, raise_if_any
from api.jobs.job import Job, Run
from errata.state.notifications import Kind, NewNotification
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.issues import issue_titles
from errata.warehouse.queries.changes import SHOWN_WITHIN
from errata.warehouse.queries.issues.news import News, news_count, news_of_issues
from errata.warehouse.queries.vocabulary import issue_text
from errata.workflow.vocabulary import Word

EVERY_SECONDS = 5.0
# After a start: what happened while no node ran. What is known already is added only once.
LOOKED_BACK = timedelta(days=1)
# Further issues of one request are told together.
MOST_SINGLE = 3


def notification_job(context: Context) -> Job:
    since = datetime.now(UTC) - LOOKED_BACK
    looked_at: tuple[datetime, int] | None = None

    def work(_run: Run) -> None:
        nonlocal since, looked_at
        projects = context.state.projects.ids()
        count = news_count(context.read, projects, since) if projects else 0
        if (since, count) != looked_at:
            before, since = since, notify(context, projects, since)
            looked_at = before, count

    return Job("notifications", work, EVERY_SECONDS)


def notify(context: Context, projects: Sequence[int], since: datetime) -> datetime:
    """Notifies of everything since then; returns from when to look the next time.

    Raises ItemsFailed at the end if some projects have failed, which are looked at again.
    """
    failed: Failed = []

    def fetch(some: Sequence[int]) -> list[News]:
        return news_of_issues(context.read, some, since)

    news = bisected(projects, fetch, failed) if projects else []
    deleted = {
        (one.project_id, issue_text(one.issue_id)): one.acted_at for one in news if one.word is Word.DELETE
    }
    told = [
        new
        for new in told_together(news)
        if (new.project_id, new.issue_id) not in deleted or new.at > deleted[new.project_id, new.issue_id]
    ]
    context.state.notifications.forget_issues(deleted)
    context.state.notifications.add([*_titled(context.read, told)])
    raise_if_any(failed)
    return max([since, *(one.acted_at - SHOWN_WITHIN for one in news)])


def told_together(news: Sequence[News]) -> Iterator[NewNotification]:
    """Of many issues that one request assigned to a person, one notification."""
    batches = {one.action_id: one.batch_id.hex for one in news}
    made = [(batches[one.action_id], new) for one in news for new in notifications_of(one)]
    made.sort(key=lambda pair: (pair[0], pair[1].email, pair[1].kind))
    for (batch, _, kind), group in groupby(made, lambda pair: (pair[0], pair[1].email, pair[1].kind)):
        same = [new for _, new in group]
        if kind is Kind.COMMENTED or len(same) <= MOST_SINGLE:
            yield from same
        else:
            yield replace(same[-1], topic=f"{kind}/{batch}", issue_id="", title="", count=len(same))


def notifications_of(news: News) -> Iterator[NewNotification]:
    """Those for everybody whom it concerns but the one who did it."""
    issue_id = issue_text(news.issue_id)
    here = f"{news.project_id}/{issue_id}"

    def new(email: str, kind: Kind, topic: str, detail: str = "") -> NewNotification:
        return NewNotification(
            email, news.project_id, kind, topic, news.acted_at, issue_id, actor=news.actor, detail=detail
        )

    match news.word:
        case Word.ASSIGN if news.assignee != news.actor:
            yield new(str(news.detail.get("assignee", "")), Kind.ASSIGNED, f"assigned/{here}")
        case Word.COMMENT:
            text = " ".join(str(news.detail.get("text", "")).split())
            for email in sorted({news.assignee, *news.commenters} - {news.actor, ""}):
                yield new(email, Kind.COMMENTED, f"comment/{news.action_id}", text)
        case Word.REGRESS if news.assignee:
            release = news.detail.get("release")
            yield new(news.assignee, Kind.REGRESSED, f"regressed/{here}", f"in {release}" if release else "")
        case Word.WAKE if news.assignee:
            yield new(news.assignee, Kind.WOKE, f"woke/{here}", str(news.detail.get("reason", "")))


def _titled(warehouse: Warehouse, new: Sequence[NewNotification]) -> Iterator[NewNotification]:
    for project_id, group in groupby(sorted(new, key=lambda one: one.project_id), lambda one: one.project_id):
        own = list(group)
        issue_ids = sorted({int(one.issue_id, 16) for one in own if one.issue_id})
        titles = issue_titles(warehouse, project_id, issue_ids) if issue_ids else {}
        for one in own:
            yield replace(one, title=titles.get(int(one.issue_id or "0", 16), ("", ""))[0])
