"""Browsers that most sites no longer support, by their user agent."""

import re
from collections.abc import Mapping

from errata.filters.inbound_filter import ERRORS, InboundFilter
from errata.filters.incoming_event import IncomingEvent
from errata.user_agent import user_agent

# The first version that is no legacy: as in Sentry's filter of this name.
SUPPORTED_FROM: Mapping[str, int] = {
    "Chrome": 63,
    "Edge": 79,
    "Firefox": 67,
    "Internet Explorer": 12,
    "Opera": 51,
    "Safari": 12,
}
# It calls itself Opera 9, whatever its version.
OPERA_MINI, OPERA_MINI_SUPPORTED_FROM = re.compile(r"\bOpera Mini/(\d{1,6})"), 35


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    if mini := OPERA_MINI.search(event.user_agent):
        return int(mini[1]) < OPERA_MINI_SUPPORTED_FROM
    found = user_agent(event.user_agent)
    version = found.browser_version
    return version.isdecimal() and int(version[:6]) < SUPPORTED_FROM.get(found.browser, 0)


FILTER = InboundFilter(
    "legacy-browsers",
    "Legacy browsers",
    "Internet Explorer, Android's former browser, Safari before 12, Edge before 79, Chrome before 63, "
    "Firefox before 67, Opera before 51 and Opera Mini before 35.",
    ERRORS,
    matches,
)
