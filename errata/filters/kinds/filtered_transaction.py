"""Health checks and other transactions that say nothing about what users wait for."""

import re
from functools import lru_cache

from errata.filters.globs import any_glob, problem_of_glob
from errata.filters.inbound_filter import PERFORMANCE, EntryList, InboundFilter
from errata.filters.incoming_event import IncomingEvent

# As frameworks and orchestrators name their checks. The last ones may name a page, too: they count as checks
# where they are the whole path.
CHECK = re.compile(
    r"health[_-]?check|heartbeat|/actuator/health/|"
    r"/(?:_?health(?:y|z)?|livez|liveness|readyz?|readiness|ping)/?$|"
    r"^(?:[A-Z]+ )?/(?:live|up|status)/?$",
    re.IGNORECASE,
)


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    name = event.transaction
    return bool(name) and (_is_check(name) or any_glob(entries)(name))


@lru_cache(maxsize=4096)
def _is_check(name: str) -> bool:
    return CHECK.search(name) is not None


FILTER = InboundFilter(
    "filtered-transaction",
    "Health checks",
    "Transactions named like health checks: /healthz, /ready, /ping, heartbeat and the like.",
    PERFORMANCE,
    matches,
    EntryList(
        "Further names of transactions",
        "* matches any text; case is ignored.",
        "GET /internal/*",
        problem_of_glob,
        is_optional=True,
    ),
)
