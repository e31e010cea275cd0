"""The job that notifies people of what happened to their issues, from the log of decisions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

from api.context import Context
from api.followers import Followed, followed_issues
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
NOBODY: Followed = {}


def notification_job(context: Context) -> Job:
    since = datetime.now(UTC) - LOOKED_BACK
    looked_at: tuple[datetime, int] | None = None

    def work(_run: Run) -> None:
        nonlocal since, looked_at
        projects = context.read.reachable(context.state.projects.ids())
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
    followed = followed_issues(context.state, context.read, sorted({one.project_id for one in news}))
    told = [
        new
        for new in told_together(news, followed)
        if (new.project_id, new.issue_id) not in deleted or new.at > deleted[new.project_id, new.issue_id]
    ]
    context.state.notifications.forget_issues(deleted)
    context.state.subscriptions.forget_issues(_with_merged(deleted, followed))
    context.state.notifications.add([*_titled(context.read, told)])
    raise_if_any(failed)
    return max([since, *(one.acted_at - SHOWN_WITHIN for one in news)])


def _with_merged(
    deleted: Mapping[tuple[int, str], datetime], followed: Followed
) -> dict[tuple[int, str], datetime]:
    """With issues merged into the deleted ones that are followed themselves."""
    return {
        (project_id, one.issue_id): at
        for (project_id, issue_id), at in deleted.items()
        for one in followed.get((project_id, int(issue_id, 16)), ())
    }


def told_together(news: Sequence[News], followed: Followed = NOBODY) -> Iterator[NewNotification]:
    """Of many issues that one request assigned to a person, one notification."""
    batches = {one.action_id: one.batch_id.hex for one in news}
    made = [
        (batches[one.action_id], new)
        for one in news
        for new in notifications_of(one, {each.email for each in followed.get(one.of, ())})
    ]
    made.sort(key=lambda pair: (pair[0], pair[1].email, pair[1].kind))
    for (batch, _, kind), group in groupby(made, lambda pair: (pair[0], pair[1].email, pair[1].kind)):
        same = [new for _, new in group]
        if kind is Kind.COMMENTED or len(same) <= MOST_SINGLE:
            yield from same
        else:
            yield replace(same[-1], topic=f"{kind}/{batch}", issue_id="", title="", count=len(same))


def notifications_of(news: News, followers: Collection[str] = ()) -> Iterator[NewNotification]:
    """Those for everybody whom it concerns but the one who did it; followers are mailed, too."""
    issue_id = issue_text(news.issue_id)
    here = f"{news.project_id}/{issue_id}"

    def told(people: Collection[str], kind: Kind, topic: str, detail: str = "") -> Iterator[NewNotification]:
        for email in sorted({*people} - {news.actor, ""}):
            yield NewNotification(
                email,
                news.project_id,
                kind,
                topic,
                news.acted_at,
                issue_id,
                actor=news.actor,
                detail=detail,
                is_mailed=email in followers,
            )

    concerned = {news.assignee, *followers}
    match news.word:
        case Word.ASSIGN:
            assignee = str(news.detail.get("assignee", ""))
            yield from told([assignee], Kind.ASSIGNED, f"assigned/{here}")
            others = {*followers} - {assignee}
            yield from told(others, Kind.FOLLOWED_ASSIGNED, f"followed/{here}", f"to {assignee}")
        case Word.COMMENT:
            text = " ".join(str(news.detail.get("text", "")).split())
            yield from told({*concerned, *news.commenters}, Kind.COMMENTED, f"comment/{news.action_id}", text)
        case Word.REGRESS:
            release = f"in {news.detail['release']}" if news.detail.get("release") else ""
            yield from told(concerned, Kind.REGRESSED, f"regressed/{here}", release)
        case Word.WAKE:
            yield from told(concerned, Kind.WOKE, f"woke/{here}", str(news.detail.get("reason", "")))
        case Word.UNRESOLVE:
            yield from told(followers, Kind.REOPENED, f"reopened/{here}")


def _titled(warehouse: Warehouse, new: Sequence[NewNotification]) -> Iterator[NewNotification]:
    for project_id, group in groupby(sorted(new, key=lambda one: one.project_id), lambda one: one.project_id):
        own = list(group)
        issue_ids = sorted({int(one.issue_id, 16) for one in own if one.issue_id})
        titles = issue_titles(warehouse, project_id, issue_ids) if issue_ids else {}
        for one in own:
            yield replace(one, title=titles.get(int(one.issue_id or "0", 16), ("", ""))[0])
