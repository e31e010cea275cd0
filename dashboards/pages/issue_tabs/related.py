"""Issues that have to do with this one, and why."""

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.related import related_issues


def _ask(asked: Asked) -> Found:
    found = related_issues(asked.warehouse, asked.head, asked.page.now)
    return Found({"axes": found.axes, "as_of": found.as_of}, state=found)


TAB = Tab("related", "Related", "issue_tabs/related.html", _ask, styles=("event.css",))
