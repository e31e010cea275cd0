"""Outcomes of items and values that were not stored as sent, in words."""

from dataclasses import dataclass

from errata.warehouse.queries.delivery.ledger import OutcomeRow

OTHER = "other_"
KINDS = {
    "page": "Page names",
    "route": "Routes",
    "transaction": "Transactions",
    "release": "Releases",
    "environment": "Environments",
    "server_name": "Server names",
    "host": "Resource and call hosts",
    "tag": "Tag names",
    "logger": "Loggers",
    "device": "Devices",
    "level": "Levels",
    "platform": "Platforms",
    "browser": "Browsers",
    "os": "Operating systems",
    "sdk": "SDKs",
    "method": "HTTP methods",
}
# Title and remedy by outcome.
WORDS = {
    "value_out_of_bounds": (
        "Impossible numbers dropped",
        "Such as an LCP of days or a negative size. The rest of each item was stored.",
    ),
    "too_old": ("Items too old to count", "They are older than the retention of raw events."),
    "nothing_to_store": (
        "Items without usable data",
        "Such as session counts without a count, or a transaction without a trace.",
    ),
    "not_stored_yet": ("Unsupported item types", "Accepted, but only counted here."),
}
OTHER_ADVICE = (
    "Too many new names in one day; the rest are stored as (other). "
    "Often the names contain IDs: use the route instead, or raise the limit (docs/settings.md)."
)


@dataclass(frozen=True, slots=True)
class Changed:
    row: OutcomeRow
    title: str
    advice: str


def changed(row: OutcomeRow) -> Changed:
    if row.outcome.startswith(OTHER):
        kind = row.outcome.removeprefix(OTHER)
        return Changed(row, f"{KINDS.get(kind, kind)} stored as (other)", OTHER_ADVICE)
    title, advice = WORDS.get(row.outcome, (row.outcome, ""))
    return Changed(row, title, advice)
