"""Outcomes of items and values that were not stored as sent, in words."""

from dataclasses import dataclass

from errata.filters import FILTERS
from errata.reports import formats
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
    "erased": ("Erased items", "They had been erased from this project and were delivered again."),
    "nothing_to_store": (
        "Items without usable data",
        "Such as session counts without a count, or a transaction without a trace.",
    ),
    "not_stored_yet": (
        "Item types that aren't stored",
        "No errors, page loads, API calls or sessions are among them. Their contents aren't kept, only this "
        "count.",
    ),
}
# What items that are not stored hold.
TYPES = {
    "attachment": "files attached to events",
    "check_in": "check-ins of scheduled jobs",
    "client_report": "an SDK's own counts of items that it discarded before sending, for example by sampling",
    "feedback": "messages from users",
    "log": "structured logs",
    "metric_buckets": "custom metrics",
    "profile": "code profiles",
    "profile_chunk": "code profiles",
    "statsd": "custom metrics",
    "trace_metric": "custom metrics",
    "user_report": "messages from users",
}
LONGEST_TYPE = 40
OTHER_ADVICE = (
    "Too many new names in one day; the rest are stored as (other). "
    "Often the names contain IDs: use the route instead, or raise the limit (docs/settings.md)."
)
FILTERED_ADVICE = "An inbound filter of this project matches them: Settings → Inbound filters."


@dataclass(frozen=True, slots=True)
class Changed:
    row: OutcomeRow
    title: str
    advice: str


def changed(row: OutcomeRow) -> Changed:
    if row.outcome.startswith(OTHER):
        kind = row.outcome.removeprefix(OTHER)
        return Changed(row, f"{KINDS.get(kind, kind)} stored as (other)", OTHER_ADVICE)
    if row.outcome == "filtered":
        label = FILTERS[row.reason].label if row.reason in FILTERS else row.reason
        return Changed(row, f"Filtered: {label}", FILTERED_ADVICE)
    title, advice = WORDS.get(row.outcome, (row.outcome, ""))
    if row.outcome == "not_stored_yet":
        advice = f"{'; '.join(map(_type_words, row.item_types))}. {advice}"
    return Changed(row, title, advice)


def _type_words(item_type: tuple[str, int]) -> str:
    """52 client_report (an SDK's own counts…)"""
    name, count = item_type
    held = f" ({TYPES[name]})" if name in TYPES else ""
    return f"{formats.count(count)} {name[:LONGEST_TYPE]}{held}"
