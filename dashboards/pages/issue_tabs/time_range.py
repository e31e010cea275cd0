"""The issue between two moments that stand in the address, to be passed on to colleagues."""

from datetime import UTC, datetime

from fastapi import HTTPException

from dashboards.chart_json import chart_json
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.errors import InvalidParameter
from errata.reports import charts
from errata.reports.chart_marks import with_deploys
from errata.warehouse.queries.issue.range import Range, issue_in_range
from errata.warehouse.queries.performance.release_starts import deploys

NO_RANGE = "The URL needs a time range: since and until, in ISO 8601."


def _ask(asked: Asked) -> Found:
    try:
        chosen = Range(_moment(asked.view["since"]), _moment(asked.view["until"]))
    except (ValueError, InvalidParameter):
        raise HTTPException(400, NO_RANGE) from None
    counted = issue_in_range(asked.warehouse, asked.head.merged, chosen)
    starts = deploys(asked.warehouse, [asked.project.id], chosen.since)
    drawn = charts.events_over_time(counted.bucket_starts, counted.lines)
    newest = counted.newest.hex if counted.newest else ""
    values = {
        "chosen": chosen,
        "counted": counted,
        "range_figure": chart_json(
            with_deploys(drawn, [start for start in starts if start[0] < chosen.until], is_low=True)
        ),
        "newest_address": asked.view.address(tab="", event=newest, since="", until="") if newest else "",
    }
    return Found(values, state=counted)


def _moment(text: str) -> datetime:
    """Without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


TAB = Tab("range", "Time range", "issue_tabs/range.html", _ask, names=("since", "until"), is_listed=False)
