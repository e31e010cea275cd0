"""Client reports: what an SDK counted of items that it discarded before sending them.

The form is Sentry's (develop.sentry.dev/sdk/telemetry/client-reports): lists of category, reason and
quantity.
"""

from collections import Counter
from typing import Any

TYPE = "client_report"
DISCARDED = "client_discard"
LISTS = ("discarded_events", "rate_limited_events", "filtered_events", "filtered_sampling_events")
CATEGORIES = frozenset(
    """
    error default security attachment transaction transaction_indexed span span_indexed profile profile_chunk
    profile_chunk_ui replay session monitor feedback user_report metric_bucket trace_metric log_item log_byte
    """.split()
)
REASONS = frozenset(
    """
    backpressure before_send buffer_overflow cache_overflow event_processor feature_disabled ignored
    insufficient_data internal_sdk_error invalid network_error no_parent_span queue_overflow ratelimit_backoff
    sample_rate send_error
    """.split()
)
OTHER = "other"
MOST_ENTRIES = 200
MOST_QUANTITY = 1_000_000_000


def discarded(payload: dict[str, Any]) -> Counter[tuple[str, str]]:
    """Quantities by category and reason; names that are not the protocol's count as other. Other entries are
    left out."""
    found = Counter[tuple[str, str]]()
    for name in LISTS:
        entries = payload.get(name)
        for entry in entries[:MOST_ENTRIES] if isinstance(entries, list) else ():
            if not isinstance(entry, dict):
                continue
            quantity = entry.get("quantity")
            if type(quantity) is int and 0 < quantity <= MOST_QUANTITY:
                category, reason = entry.get("category"), entry.get("reason")
                found[_known(category, CATEGORIES), _known(reason, REASONS)] += quantity
    return found


def _known(name: object, names: frozenset[str]) -> str:
    return name if isinstance(name, str) and name in names else OTHER
