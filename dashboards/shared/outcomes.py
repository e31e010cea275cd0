"""Outcomes of items and values that were not stored as sent, in words."""

from collections.abc import Sequence
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
    "erased": ("Erased items", "They were erased from this project and then delivered again."),
    "payload_limited": (
        "Events stored without their payload",
        (
            "More of one kind arrived in a minute than the project's payload limit allows. They are counted "
            "as usual."
        ),
    ),
    "too_many_monitors": (
        "Check-ins of too many monitors",
        "The project has 500 monitors. Check-ins of others aren't stored.",
    ),
    "nothing_to_store": (
        "Items without usable data",
        "Such as session counts without a count, or a transaction without a trace.",
    ),
    "invalid_log": (
        "Log records without a text or a time",
        "They can't be shown with an error. The other records in their batch were stored.",
    ),
    "too_many_logs": (
        "Log records beyond 1,000 of a batch",
        "SDKs send 100 at a time. The first 1,000 were stored.",
    ),
    "minidump_refused": (
        "Minidumps of crashed processes",
        (
            "They contain process memory, and with it secrets that can't be detected. The event itself was "
            "stored."
        ),
    ),
    "not_stored_yet": (
        "Item types that aren't stored",
        "They include no errors, page loads, API calls or sessions. Only this count is kept.",
    ),
}
# What items that are not stored hold.
TYPES = {
    "metric_buckets": "custom metrics",
    "profile": "code profiles",
    "profile_chunk": "code profiles",
    "statsd": "custom metrics",
    "trace_metric": "custom metrics",
}
LONGEST_TYPE = 40
OTHER_ADVICE = (
    "Too many new names in one day; the rest are stored as (other). "
    "Often the names contain IDs: use the route instead, or raise the limit (docs/settings.md)."
)
FILTERED_ADVICE = "An inbound filter of this project matches them: Settings → Inbound filters."

DISCARD_ADVICE = (
    "SDKs reported that they never sent them, for example because of a sample rate or a full queue."
)


@dataclass(frozen=True, slots=True)
class Changed:
    row: OutcomeRow
    title: str
    advice: str


def changed(row: OutcomeRow) -> Changed:
    return Changed(row, *title_and_advice(row.outcome, row.reason, row.item_types))


def title_and_advice(outcome: str, reason: str, item_types: Sequence[tuple[str, int]]) -> tuple[str, str]:
    if outcome.startswith(OTHER):
        kind = outcome.removeprefix(OTHER)
        return f"{KINDS.get(kind, kind)} stored as (other)", OTHER_ADVICE
    if outcome == "filtered":
        label = FILTERS[reason].label if reason in FILTERS else reason
        return f"Filtered: {label}", FILTERED_ADVICE
    if outcome == "client_discard":
        types = ", ".join(f"{name}: {formats.count(count)}" for name, count in item_types)
        return f"Discarded by SDKs: {reason.replace('_', ' ')}", f"{types}. {DISCARD_ADVICE}"
    title, advice = WORDS.get(outcome, (outcome, ""))
    if outcome == "not_stored_yet":
        advice = f"{'; '.join(map(_type_words, item_types))}. {advice}"
    return title, advice


def _type_words(item_type: tuple[str, int]) -> str:
    """52 client_report (an SDK's own counts…)"""
    name, count = item_type
    held = f" ({TYPES[name]})" if name in TYPES else ""
    return f"{formats.count(count)} {name[:LONGEST_TYPE]}{held}"
