"""The tabs of an issue's page, in order. A new one is a module here, a template, and a line in TABS."""

from dashboards.pages.issue_tabs import (
    activity,
    compare,
    different,
    event,
    events,
    grouping,
    related,
    time_range,
)
from dashboards.pages.issue_tabs.tab import Tab

TABS: tuple[Tab, ...] = (
    event.TAB,
    events.TAB,
    compare.TAB,
    different.TAB,
    related.TAB,
    time_range.TAB,
    grouping.TAB,
    activity.TAB,
)
