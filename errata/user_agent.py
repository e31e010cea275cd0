"""Browser, operating system and kind of device from a user agent: the common families, by their own
tokens."""

import re
from functools import lru_cache
from typing import NamedTuple


class UserAgent(NamedTuple):
    """Empty if unknown. `device` is desktop, mobile, tablet or bot."""

    browser: str = ""
    browser_version: str = ""
    os: str = ""
    device: str = ""


# The first match counts: most browsers also carry the tokens of their ancestors.
BROWSERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("Edge", r"\b(?:Edg|EdgA|EdgiOS|Edge)/(\d+)"),
        ("Opera", r"\b(?:OPR|OPT|OPiOS|Opera)/(\d+)"),
        ("Samsung Internet", r"\bSamsungBrowser/(\d+)"),
        ("Vivaldi", r"\bVivaldi/(\d+)"),
        ("Yandex", r"\bYaBrowser/(\d+)"),
        ("UC Browser", r"\bUCBrowser/(\d+)"),
        ("DuckDuckGo", r"\b(?:DuckDuckGo|Ddg)/(\d+)"),
        ("Firefox", r"\b(?:Firefox|FxiOS)/(\d+)"),
        ("Chrome", r"\b(?:HeadlessChrome|Chrome|CriOS|Chromium)/(\d+)"),
        ("Safari", r"\bVersion/(\d+)[^ ]* .*Safari/"),
        ("Safari", r"\b(?:iPhone|iPad|iPod).*AppleWebKit/(?:\d+)()"),
        ("Internet Explorer", r"\b(?:MSIE |Trident/.*rv:)(\d+)"),
        ("curl", r"^curl/(\d+)"),
    )
)
SYSTEMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("Windows", r"Windows"),
        ("iOS", r"iPhone|iPad|iPod"),
        ("Android", r"Android"),
        ("ChromeOS", r"CrOS"),
        ("macOS", r"Mac OS X|Macintosh"),
        ("Linux", r"Linux|X11"),
    )
)
CHROMIUM = re.compile(r"Chrom(?:e|ium)/(\d+)")
BOT = re.compile(r"bot\b|crawler|spider|slurp|Lighthouse|facebookexternalhit|monitor(?:ing)?\b", re.I)
TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)")
MOBILE = re.compile(r"Mobi|iPhone|iPod|Android.*Mobile|IEMobile")


@lru_cache(maxsize=4096)
def user_agent(header: str) -> UserAgent:
    if not header:
        return UserAgent()
    browser, version = "", ""
    for name, pattern in BROWSERS:
        if found := pattern.search(header):
            browser, version = name, found[1]
            break
    system = next((name for name, pattern in SYSTEMS if pattern.search(header)), "")
    return UserAgent(browser, version, system, _device(header, system))


def reports_layout_shifts(header: str) -> bool:
    """True for Chromium from 77 on, under whatever name. Browsers of iOS, Firefox and Safari don't."""
    found = CHROMIUM.search(header)
    return found is not None and int(found[1]) >= 77


def _device(header: str, system: str) -> str:
    if BOT.search(header):
        return "bot"
    if TABLET.search(header):
        return "tablet"
    if MOBILE.search(header):
        return "mobile"
    return "desktop" if system else ""
