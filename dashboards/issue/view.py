"""The frame of an issue's page: head, tabs, and the chart of its events."""

from collections.abc import Sequence
from dataclasses import replace

from dashboards.issue.head import ACTIONS, MARKS
from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Tab
from dashboards.issue.tabs import TABS
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.issue import issue
from dashboards.shared.periods import is_compared
from errata.performance.metric import Unit
from errata.reports import charts
from errata.reports.chart_marks import with_annotations, with_deploys
from errata.reports.chart_template import templates
from errata.warehouse.queries.issue.counts import counts_before
from errata.warehouse.queries.performance.release_starts import deploys

DEFAULTS = {"tab": "event", "period": "14d"}
NAMES = ("tab", "event", "period", "compare", "list", "cursor")


def frame(request: IssueRequest, tab: Tab) -> dict[str, object]:
    kept = request.view["list"]
    carriers: tuple[Tab | Fragment, ...] = (tab, *MARKS, *ACTIONS)
    issues_address = f"/projects/{request.project.slug}/issues"
    return {
        "view": request.view,
        "tab": tab.name,
        "tab_title": tab.title,
        "question": tab.question,
        "tabs": [(other, _tab_address(request.view, other)) for other in TABS if other.is_listed],
        "issue": issue(request.head),
        "head": request.head,
        "issues_address": issues_address,
        "list_address": f"{issues_address}?{kept}" if kept else issues_address,
        "users_address": _users_address(request),
        "time_range": periods.shown(request.period.of_events(request.page.now)),
        "styles": list(dict.fromkeys(name for carrier in carriers for name in carrier.styles)),
        "scripts": list(dict.fromkeys(name for carrier in carriers for name in carrier.scripts)),
    }


def _users_address(request: IssueRequest) -> str:
    return f"/projects/{request.project.slug}/users?issue={request.head.id}&period={request.period}"


def _tab_address(view: View, tab: Tab) -> str:
    """The address keeps the period and drops what only the current tab understands."""
    common = {name: view.values.get(name, "") for name in NAMES}
    event = common["event"] if tab is TABS[0] and view["tab"] == TABS[0].name else ""
    return replace(view, values=common).address(tab=tab.name, event=event)


def _before(request: IssueRequest) -> Sequence[int]:
    chosen = request.period.of_events(request.page.now)
    starts = request.head.history.bucket_starts
    return counts_before(request.warehouse, request.project.id, request.head.issue_id, chosen, starts)


def fetch_history(request: IssueRequest) -> dict[str, object]:
    history = request.head.history
    starts = deploys(request.warehouse, [request.project.id], history.bucket_starts[0])
    annotations = request.user.annotations(request.project)
    drawn = charts.events_over_time(history.bucket_starts, history.lines, is_small=True)
    if is_compared(request.view):
        drawn = charts.with_before(drawn, _before(request), Unit.COUNT)
    return {
        "figure": chart_json(with_annotations(with_deploys(drawn, starts), annotations)),
        "figure_words": f"{request.head.event_count:,} events {periods.within(request.period)}",
        "chart_templates": templates(),
    }
