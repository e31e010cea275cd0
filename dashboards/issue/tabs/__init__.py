"""The tabs of an issue's page, in order. A new one is a folder here, and a line in TABS."""

from dashboards.issue.tab import Tab
from dashboards.issue.tabs.activity.tab import TAB as ACTIVITY
from dashboards.issue.tabs.compare.tab import TAB as COMPARE
from dashboards.issue.tabs.different.tab import TAB as DIFFERENT
from dashboards.issue.tabs.event.tab import TAB as EVENT
from dashboards.issue.tabs.events.tab import TAB as EVENTS
from dashboards.issue.tabs.grouping.tab import TAB as GROUPING
from dashboards.issue.tabs.related.tab import TAB as RELATED
from dashboards.issue.tabs.time_range.tab import TAB as TIME_RANGE

TABS: tuple[Tab, ...] = (EVENT, EVENTS, COMPARE, DIFFERENT, RELATED, TIME_RANGE, GROUPING, ACTIVITY)
