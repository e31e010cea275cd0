"""The order in which a delivery's rows are stored, by which a table never names rows that are not there."""

# So that every event has its issue.
FIRST = ("errata_raw.variants", "errata_raw.variant_issues")
# The ledger last, so that it never promises too much.
LAST = ("errata_raw.outcomes", "errata_raw.rejected_items", "errata_raw.deliveries")
