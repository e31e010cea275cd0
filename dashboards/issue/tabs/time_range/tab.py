"""The issue between the two moments of the address, a link for colleagues."""

from datetime import UTC, datetime

from fastapi import HTTPException

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.shared.chart_json import chart_json
from errata.errors import InvalidParameter
from errata.reports import charts
from errata.reports.chart_marks import with_annotations, with_deploys
from errata.warehouse.queries.issue.range import Range, issue_in_range
from errata.warehouse.queries.performance.release_starts import deploys

NO_RANGE = "The URL needs a time range: since and until, in ISO 8601."


def _fetch_time_range(request: IssueRequest) -> Found:
    try:
        chosen = Range(_moment(request.view["since"]), _moment(request.view["until"]))
    except (ValueError, InvalidParameter):
        raise HTTPException(400, NO_RANGE) from None
    counted = issue_in_range(request.warehouse, request.head.merged, chosen)
    starts = deploys(request.warehouse, [request.project.id], chosen.since)
    drawn = with_deploys(charts.events_over_time(counted.bucket_starts, counted.lines), starts)
    newest = counted.newest.hex if counted.newest else ""
    values = {
        "chosen": chosen,
        "counted": counted,
        "range_figure": chart_json(with_annotations(drawn, request.user.annotations(request.project))),
        "newest_address": request.view.address(tab="", event=newest, since="", until="") if newest else "",
    }
    return Found(values, state=counted)


def _moment(text: str) -> datetime:
    """Without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


TAB = Tab(
    "range",
    "Time range",
    "issue/tabs/time_range/time_range.html",
    _fetch_time_range,
    question="issue_in_range",
    names=("since", "until"),
    is_listed=False,
)
