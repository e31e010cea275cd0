"""Issues that have to do with this one, and why."""

from functools import partial

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.related import AXES, subject
from errata.warehouse.at_once import at_once


def _ask(asked: Asked) -> Found:
    about = subject(asked.warehouse, asked.project.id, asked.head, asked.page.now)
    axes = at_once([partial(axis, about) for axis in AXES])
    return Found({"axes": axes}, state=axes)


TAB = Tab("related", "Related", "issue_tabs/related.html", _ask, styles=("event.css",))
