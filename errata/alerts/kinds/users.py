"""Many identified users in a window."""

from errata.alerts.threshold_kind import ThresholdKind


class ManyUsers(ThresholdKind):
    name = "users"
    title = "Many users"
    plural = "issues with many users"
    counted = "Users"
    counts_users = True


KIND = ManyUsers()
