"""Issues of trackers: created from an issue here, fetched, and stored with their link."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from api.context import Context
from api.workflow import Workflow
from errata.outgoing.errors import OutgoingFailed
from errata.reports import formats
from errata.state.errors import SecretUnreadable
from errata.state.integrations import Integration
from errata.state.tracker_links import TrackerLink
from errata.trackers import TRACKERS, Connection, ExternalIssue, NewIssue, Tracker, tracker_of
from errata.trackers.errors import TrackerBusy, TrackerRefused
from errata.warehouse.queries.issue.head import IssueHead
from errata.warehouse.queries.issue.state import status_of_issue
from errata.warehouse.queries.issues.merged_issues import merged_issues
from errata.workflow.vocabulary import Word

LABEL = "errata"


def connection_of(context: Context, integration: Integration) -> Connection:
    """A connection with its token opened. Raises SecretUnreadable."""
    token = context.state.secrets.open(integration.organization_id, integration.secret_id)
    return Connection(
        integration.kind,
        integration.base_url,
        integration.target,
        token,
        integration.account,
        integration.issue_type,
    )


def tracker(context: Context, integration: Integration) -> Tracker:
    return tracker_of(connection_of(context, integration), context.outgoing)


def fetched(issue: ExternalIssue) -> dict[str, Any]:
    """The fields of the issue as the state store keeps them."""
    return {
        "key": issue.key,
        "url": safe_url(issue.url)[:1000],
        "title": issue.title[:300],
        "is_open": issue.is_open,
        "status": issue.status[:100],
    }


def safe_url(url: str) -> str:
    """An address for a link: a tracker cannot make the page lead into a script."""
    return url if url.startswith(("https://", "http://")) else ""


def new_issue(head: IssueHead, slug: str, base_url: str, title: str, labels: Sequence[str]) -> NewIssue:
    return NewIssue(
        title=title or head.title or head.type or "Error",
        text="\n".join(filter(None, (head.title, head.culprit))) or head.type or "Error",
        facts=[
            ("First seen", formats.exact(head.first_seen)),
            ("Last seen", formats.exact(head.last_seen)),
            ("Events", f"{head.total_event_count:,}"),
            ("Users", f"{head.total_user_count:,}"),
            ("First release", head.first_release),
            ("Last release", head.last_release),
        ],
        url=f"{base_url}/projects/{slug}/issues/{head.id}",
        labels=labels,
    )


def refresh(context: Context, link: TrackerLink, integration: Integration) -> None:
    """Stores the state of the tracker's issue, or the reason for a failure. If the integration says so, a
    change of state is carried over. Raises TrackerBusy."""
    try:
        found = tracker(context, integration).find(link.key)
    except TrackerBusy as error:
        until = datetime.now(UTC) + timedelta(seconds=error.retry_after_seconds)
        context.state.integrations.pause(integration.id, until)
        raise
    except (TrackerRefused, OutgoingFailed, SecretUnreadable) as error:
        context.state.tracker_links.store_fetched(link.id, {"problem": str(error)[:500]})
        return
    if integration.resolves and link.is_open != found.is_open:
        carry_over(context, link, found.is_open)
    context.state.tracker_links.store_fetched(link.id, fetched(found))


def carry_over(context: Context, link: TrackerLink, is_open: bool) -> None:
    """Resolves the issue of a link that was closed in the tracker, or takes that back for one that was opened
    again. Before the link is stored: a kill in between has it done once more, which changes nothing."""
    issue_id = int(link.issue_id, 16)
    found = merged_issues(context.read, link.project_id, [issue_id])
    # All its events may be erased.
    if issue_id not in found:
        return
    current = found[issue_id].issue_id
    is_resolved = status_of_issue(context.read, link.project_id, current) == "resolved"
    if is_resolved != is_open:
        return
    workflow = Workflow(context.warehouse, context.read, link.project_id, actor_of(link))
    workflow.act([current], Word.UNRESOLVE if is_open else Word.RESOLVE, {} if is_open else {"in": "now"})


def actor_of(link: TrackerLink) -> str:
    """What the timeline names: `GitHub acme/shop#12`, `Jira SHOP-12`."""
    tracker = TRACKERS[link.kind]
    return f"{tracker.name} {link.target}#{link.key}" if tracker.has_numbers else f"{tracker.name} {link.key}"
