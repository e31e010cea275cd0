"""Each kind of filter with what it is for, and with what it must leave."""

from typing import Any

from errata.filters import FILTERS
from errata.filters.incoming_event import incoming_events
from tests.cases import each

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
    "Safari/537.36"
)
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.1 Mobile/15E148 Safari/604.1"
)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
EDGE = f"{CHROME} Edg/142.0.0.0"
CUBOT = (
    "Mozilla/5.0 (Linux; Android 9; CUBOT NOTE S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
    "Mobile Safari/537.36"
)
FACEBOOK_APP = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.40.95;FBDV/iPhone14,5;FBLC/en_US]"
)
SLACK_APP = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41.98 "
    "Chrome/130.0.6723.137 Electron/33.2.1 Safari/537.36"
)
CURRENT = (CHROME, SAFARI, FIREFOX, EDGE, CUBOT, FACEBOOK_APP, SLACK_APP)
CRAWLERS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; "
    "+http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36",
    "Mediapartners-Google",
    "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Twitterbot/1.0",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.1; +https://openai.com/gptbot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 "
    "(compatible; Bytespider; spider-feedback@bytedance.com)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/119.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse",
    "Better Uptime Bot Mozilla/5.0 (Windows NT 10.0; Win64; x64)",
    "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)",
    "kube-probe/1.31",
)
LEGACY = (
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.0; Trident/4.0)",
    "Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko",
    "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2228.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 "
    "Edge/12.10136",
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0",
    "Opera/9.80 (X11; Linux i686; Ubuntu/14.10) Presto/2.12.388 Version/12.16",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/7.0.32796/59.323; U; fr) Presto/2.12.423 Version/12.16",
    "Mozilla/5.0 (Linux; U; Android 2.3.5; en-us; HTC Vision Build/GRI40) AppleWebKit/533.1 (KHTML, like "
    "Gecko) Version/4.0 Mobile Safari/533.1",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_3) AppleWebKit/537.75.14 (KHTML, like Gecko) Version/7.0.3 "
    "Safari/7046A194A",
)
OPERA_MINI = "Opera/9.80 (Android; Opera Mini/81.0.2254/191.303; U; en) Presto/2.12.423 Version/12.16"


def by_agent(agent: str) -> dict[str, Any]:
    return {"message": "boom", "request": {"headers": {"User-Agent": agent}}}


def raised(value: str = "boom", *paths: str, name: str = "TypeError") -> dict[str, Any]:
    """Frames from the outermost on."""
    frames = [{"abs_path": path, "function": "f"} for path in paths]
    return {"exception": {"values": [{"type": name, "value": value, "stacktrace": {"frames": frames}}]}}


def by_ip(address: str) -> dict[str, Any]:
    return {"message": "boom", "user": {"ip_address": address}}


def at(url: str) -> dict[str, Any]:
    return {"message": "boom", "request": {"url": url}}


EXTENSION_PATHS = (
    "chrome-extension://gighmmpiobklfepjocnamgkkbiglidom/content.js",
    "moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc/frame_ant.js",
    "safari-web-extension://7F3A/content.js",
    "webkit-masked-url://hidden/",
    "https://me.kis.v2.scr.kaspersky-labs.com/FD126C42/main.js",
    "https://connect.facebook.net/en_US/fbevents.js",
)
EXTENSION_MESSAGES = (
    "Extension context invalidated.",
    "can't access dead object",
    "null is not an object (evaluating 'elt.parentNode')",
    "Can't find variable: _AutofillCallbackHandler",
    "ReferenceError: conduitPage is not defined",
    "Could not establish connection. Receiving end does not exist.",
)
FILTERED: dict[str, list[tuple[dict[str, Any], tuple[str, ...]]]] = {
    "browser-extensions": [
        *((raised("boom", "https://shop.example/app.js", path), ()) for path in EXTENSION_PATHS),
        *((raised(message), ()) for message in EXTENSION_MESSAGES),
        # The innermost frames may name no script.
        (raised("boom", "chrome-extension://abc/a.js", "<anonymous>", "[native code]"), ()),
        ({"exception": [raised("conduitPage")["exception"]["values"][0]]}, ()),
        ({"logentry": {"formatted": "fb_xd_fragment"}}, ()),
    ],
    "legacy-browsers": [(by_agent(agent), ()) for agent in LEGACY],
    "web-crawlers": [
        *((by_agent(agent), ()) for agent in CRAWLERS),
        ({"message": "x", "request": {"headers": [["user-agent", CRAWLERS[0]]]}}, ()),
    ],
    "localhost": [
        *((by_ip(address), ()) for address in ("127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1")),
        *(
            (at(url), ())
            for url in (
                "http://localhost/",
                "http://localhost:3000/cart?x=1",
                "https://app.localhost/",
                "http://LOCALHOST:8080",
                "http://127.0.0.1:5173/",
                "http://[::1]:8000/",
                "file:///Users/ann/index.html",
            )
        ),
        ({"message": "x", "request": {"headers": {"Host": "localhost:8000"}}}, ()),
    ],
    "error-message": [
        ({"message": "ResizeObserver loop limit exceeded"}, ("*resizeobserver LOOP*",)),
        ({"logentry": {"message": "timeout of %s", "formatted": "timeout of 5"}}, ("timeout of *",)),
        (raised("Failed to fetch"), ("TypeError: Failed to fetch",)),
        (raised("Failed to fetch"), ("nothing", "Failed to fetch")),
        (raised("line one\nline two"), ("line*two",)),
        (raised("100*"), (r"TypeError: 100\*",)),
        (raised("Größe ÄNDERN"), ("*größe ändern",)),
    ],
    "release-version": [
        ({"message": "x", "release": "shop@1.4.0"}, ("shop@1.*",)),
        ({"message": "x", "release": "SHOP@1.4.0-beta"}, ("other@*", "*-beta")),
    ],
    "ip-address": [
        (by_ip("203.0.113.7"), ("203.0.113.7",)),
        (by_ip("203.0.113.7"), ("10.0.0.0/8", "203.0.113.0/24")),
        (by_ip("203.0.113.7"), ("203.0.113.99/24",)),
        (by_ip("::ffff:203.0.113.7"), ("203.0.113.0/24",)),
        (by_ip("2001:db8::1"), ("2001:DB8::/32",)),
        ({"message": "x", "request": {"env": {"REMOTE_ADDR": "10.1.2.3"}}}, ("10.0.0.0/8",)),
    ],
}
LEFT: dict[str, list[tuple[dict[str, Any], tuple[str, ...]]]] = {
    "browser-extensions": [
        (raised("boom", "chrome-extension://abc/a.js", "https://shop.example/app.js"), ()),
        (raised("x is not defined", "https://shop.example/chrome-extension://x"), ()),
        (raised("fetch of chrome-extension page failed", "https://shop.example/a.js"), ()),
        (raised("invalid context"), ()),
        (raised("boom", "https://kaspersky-labs.com.shop.example/a.js"), ()),
        (raised("boom", "app:///shop/browser_extensions.py", name="ValueError"), ()),
        ({"exception": {"values": [None, 7, {"stacktrace": {"frames": [None, {"abs_path": 7}]}}]}}, ()),
    ],
    "legacy-browsers": [
        (by_agent(agent), ()) for agent in (*CURRENT, OPERA_MINI, "", "curl/8.5.0", CRAWLERS[2])
    ],
    "web-crawlers": [
        (by_agent(agent), ())
        for agent in (*CURRENT, *LEGACY, OPERA_MINI, "", "okhttp/4.12.0", "Botanica/3 CFNetwork")
    ],
    "localhost": [
        *(
            (by_ip(address), ())
            for address in ("203.0.113.7", "10.0.0.1", "{{auto}}", "localhost", "2001:db8::1")
        ),
        *(
            (at(url), ())
            for url in (
                "https://shop.example/",
                "https://localhost.shop.example/",
                "https://notlocalhost/",
                "https://shop.example/?from=http://localhost",
                "/localhost",
                "http://[not-an-address/",
                "",
            )
        ),
        ({"message": "x", "request": {"url": "https://a.example", "headers": {"Host": "localhost"}}}, ()),
    ],
    "error-message": [
        ({"message": "ResizeObserver loop limit exceeded"}, ("ResizeObserver", "loop*")),
        (raised("Failed to fetch"), ("ValueError: *", "Failed to fetch?", "Failed*fetch*h")),
        (raised("1000"), (r"TypeError: 100\*",)),
        (raised("a.c"), ("a+c", "[a-c].c", "abc")),
        ({"tags": {"message": "boom"}}, ("*boom*",)),
    ],
    "release-version": [
        ({"message": "x", "release": "shop@2.0.0"}, ("shop@1.*",)),
        ({"message": "x"}, ("shop@*", "*x")),
        ({"message": "x", "release": {"name": "shop@1.0"}}, ("shop@1*",)),
    ],
    "ip-address": [
        (by_ip("203.0.114.7"), ("203.0.113.0/24",)),
        (by_ip("{{auto}}"), ("10.0.0.0/8",)),
        (by_ip(""), ("10.0.0.0/8",)),
        (by_ip("10.0.0.1"), ("2001:db8::/32",)),
        ({"message": "x", "user": "10.0.0.1"}, ("10.0.0.0/8",)),
    ],
}


def is_filtered(
    kind: str, payload: dict[str, Any], entries: tuple[str, ...], item_type: str = "event"
) -> bool:
    (event,) = incoming_events(item_type, payload, {})
    return FILTERS[kind].matches(event, entries)


@each("kind", FILTERED)
def test_what_a_filter_is_for_is_filtered(kind: str) -> None:
    assert [case for case in FILTERED[kind] if not is_filtered(kind, *case)] == []


@each("kind", LEFT)
def test_what_only_looks_like_it_is_left(kind: str) -> None:
    assert [case for case in LEFT[kind] if is_filtered(kind, *case)] == []


def test_every_kind_has_cases() -> None:
    assert {*FILTERED, "filtered-transaction"} == {*LEFT, "filtered-transaction"} == set(FILTERS)


@each(
    "name",
    [
        *(
            "GET /healthz",
            "/health",
            "GET /api/health/",
            "/api/v1/ready",
            "HEAD /livez",
            "/ping",
            "/up",
            "GET /up",
        ),
        *(
            "shop.views.healthcheck",
            "HealthCheckController#show",
            "worker.heartbeat",
            "/actuator/health/readiness",
            "GET /_health",
            "/HEALTHY/",
        ),
    ],
)
def test_health_checks_are_known_by_their_names(name: str) -> None:
    assert is_filtered("filtered-transaction", {"transaction": name}, (), "transaction")


@each(
    "name",
    [
        *(
            "GET /cart",
            "/wealth",
            "/sports/live",
            "/sign-up",
            "/sign/up",
            "/shopping",
            "GET /healthy-food",
            "",
        ),
        *("/orders/{id}/status", "already", "GET /health/articles"),
    ],
)
def test_other_transactions_are_left(name: str) -> None:
    assert not is_filtered("filtered-transaction", {"transaction": name}, (), "transaction")


def test_people_add_names_of_transactions() -> None:
    payload = {"transaction": "GET /internal/metrics"}
    assert is_filtered("filtered-transaction", payload, ("GET /internal/*",), "transaction")
    assert is_filtered("filtered-transaction", {"transaction": "/ping"}, ("GET /internal/*",), "transaction")
    assert not is_filtered("filtered-transaction", payload, (), "transaction")
