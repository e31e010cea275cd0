"""What became of items and values that were not stored as they were sent, in words."""

from dataclasses import dataclass

from errata.warehouse.queries.delivery import OutcomeRow

OTHER = "other_"
KINDS = {
    "page": "Page names",
    "route": "Routes",
    "transaction": "Transactions",
    "release": "Releases",
    "environment": "Environments",
    "server_name": "Server names",
    "host": "Hosts of resources and calls",
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
    "too_old": ("Items too old to count", "They are older than raw events are kept."),
    "nothing_to_store": (
        "Items that held nothing to store",
        "Such as session counts without a count, or a transaction of no trace.",
    ),
    "not_stored_yet": ("Items of a type that is not stored", "Accepted, and counted here only."),
}
OTHER_ADVICE = (
    "Too many new names in one day; the rest are stored as (other). "
    "Often a name holds an id: name the route instead, or raise the bound (docs/settings.md)."
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
