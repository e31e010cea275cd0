"""Every kind of configuration, in the order in which kinds are applied: rules name budgets and channels."""

from typing import Any

from errata.configuration.kind import Kind
from errata.configuration.kinds import (
    alert_rules,
    allowed_origins,
    budgets,
    channels,
    inbound_filters,
    keys,
    limits,
    monitors,
    people,
    report_schedules,
    retention,
    saved_searches,
    saved_views,
    scrubbing,
)

OF_ORGANIZATION: tuple[Kind[Any], ...] = (people.KIND, channels.KIND)
OF_PROJECT: tuple[Kind[Any], ...] = (
    keys.APPLICATION,
    keys.PUBLIC,
    allowed_origins.KIND,
    limits.KIND,
    retention.KIND,
    scrubbing.KIND,
    inbound_filters.KIND,
    budgets.KIND,
    monitors.KIND,
    alert_rules.KIND,
    saved_searches.KIND,
    saved_views.KIND,
    report_schedules.KIND,
)
