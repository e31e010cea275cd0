"""Many events in a window."""

from errata.alerts.threshold_kind import ThresholdKind


class ManyEvents(ThresholdKind):
    name = "events"
    title = "Many events"
    plural = "issues with many events"
    counts_users = False


KIND = ManyEvents()
