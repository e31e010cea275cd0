"""Crawlers, link previews and uptime checks, by what they call themselves."""

import re
from functools import lru_cache

from errata.filters.inbound_filter import ALL_TYPES, InboundFilter
from errata.filters.incoming_event import IncomingEvent

# Most end a word of their name in one of these: Googlebot/2.1, Baiduspider;
CALLED_SO = re.compile(r"(?:bot|spider|crawler)s?(?![a-z])")
# Those that don't, in lower case.
NAMES = (
    # Search engines and language models.
    *(
        "mediapartners-google",
        "feedfetcher-google",
        "google-inspectiontool",
        "googleother",
        "google-extended",
    ),
    *("bingpreview", "yahoo! slurp", "ia_archiver", "sogou", "oai-searchbot", "chatgpt-user", "claude-user"),
    *("claude-web", "anthropic-ai", "perplexity-user", "cohere-ai"),
    # Link previews.
    *("facebookexternalhit", "facebookcatalog", "meta-external", "slack-imgproxy", "slackbot-linkexpanding"),
    *("whatsapp/", "skypeuripreview", "embedly"),
    # Audits and uptime checks.
    *("chrome-lighthouse", "pingdom", "better uptime", "uptime-kuma", "statuscake", "site24x7", "kube-probe"),
    *("aws security scanner", "elb-healthchecker", "googlehc"),
)
# A maker of phones, whose browsers name their model: Android 9; CUBOT NOTE S.
MAKER = "cubot"


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    return bool(event.user_agent) and _is_crawler(event.user_agent)


@lru_cache(maxsize=4096)
def _is_crawler(agent: str) -> bool:
    lowered = agent.lower()
    return any(name in lowered for name in NAMES) or (
        MAKER not in lowered and CALLED_SO.search(lowered) is not None
    )


FILTER = InboundFilter(
    "web-crawlers",
    "Web crawlers",
    "Search engines, link previews and uptime checks, by their user agent, such as Googlebot.",
    ALL_TYPES,
    matches,
)
