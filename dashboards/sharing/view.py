"""A shared issue as its page shows it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from markupsafe import Markup

from dashboards.event.event import Event, event
from dashboards.shared.chart_json import chart_json
from dashboards.shared.issue import issue
from dashboards.sharing.addresses import masked_text
from dashboards.sharing.redaction import redacted
from errata.reports import charts
from errata.state.share_links import Shared
from errata.warehouse.queries.issue.head import IssueHead
from errata.warehouse.queries.issue.range import IssueRange, Range

USUAL_DAYS = 14


@dataclass(frozen=True)
class SharedView:
    heading: str
    rest: str
    culprit: str
    level: str
    status: str
    time_range: Range
    counted: IssueRange
    figure: Markup
    figure_words: str


def chosen_range(shared: Shared, now: datetime) -> Range:
    """The range of the link, else the 14 days of the pages: today and the 14 before."""
    if shared.since is not None and shared.until is not None:
        return Range(shared.since, shared.until)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Range(day - timedelta(days=USUAL_DAYS), day + timedelta(days=1))


def shared_issue(shared: Shared, head: IssueHead, time_range: Range, counted: IssueRange) -> SharedView:
    shown = issue(head)

    def shown_text(text: str) -> str:
        return text if shared.with_user else masked_text(text)

    lines = [(shown_text(environment), counts) for environment, counts in counted.lines]

    return SharedView(
        heading=shown_text(shown.heading),
        rest=shown_text(shown.rest),
        culprit=shown_text(shown.culprit),
        level=shown.level,
        status=shown.status,
        time_range=time_range,
        counted=counted,
        figure=chart_json(charts.events_over_time(counted.bucket_starts, lines)),
        figure_words=f"{counted.event_count:,} events in the range",
    )


def shared_event(payload: object, shared: Shared) -> Event:
    shown = event(redacted(payload, with_user=shared.with_user, with_values=shared.with_values))
    if shared.with_values:
        return shown
    # What is not there may have been left out.
    return replace(shown, surroundings=replace(shown.surroundings, not_sent=()))
