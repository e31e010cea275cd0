# ruff: noqa: E501  (user agents are long)

from errata.user_agent import UserAgent, user_agent
from tests.cases import each

MOZILLA = "Mozilla/5.0 "
CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0"


@each(
    ("header", "expected"),
    [
        (f"{MOZILLA}(Windows NT 10.0; Win64; x64) {CHROME} Safari/537.36", ("Chrome", "156", "Windows", "desktop")),
        (f"{MOZILLA}(Windows NT 10.0; Win64; x64) {CHROME} Safari/537.36 Edg/156.0.0.0", ("Edge", "156", "Windows", "desktop")),
        (f"{MOZILLA}(X11; Linux x86_64) {CHROME} Safari/537.36 OPR/120.0.0.0", ("Opera", "120", "Linux", "desktop")),
        (f"{MOZILLA}(Linux; Android 14; Pixel 7) {CHROME} Mobile Safari/537.36", ("Chrome", "156", "Android", "mobile")),
        (f"{MOZILLA}(Linux; Android 14; SM-X710) {CHROME} Safari/537.36", ("Chrome", "156", "Android", "tablet")),
        (f"{MOZILLA}(Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36", ("Samsung Internet", "29", "Android", "mobile")),
        (f"{MOZILLA}(Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0", ("Firefox", "144", "macOS", "desktop")),
        (f"{MOZILLA}(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15", ("Safari", "26", "macOS", "desktop")),
        (f"{MOZILLA}(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1", ("Safari", "26", "iOS", "mobile")),
        (f"{MOZILLA}(iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1", ("Chrome", "140", "iOS", "tablet")),
        (f"{MOZILLA}(X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36", ("Chrome", "156", "Linux", "desktop")),
        (f"{MOZILLA}(compatible; Googlebot/2.1; +http://www.google.com/bot.html)", ("", "", "", "bot")),
        ("curl/8.5.0", ("curl", "8", "", "")),
        ("", ("", "", "", "")),
        ("nonsense", ("", "", "", "")),
    ],
    ids=lambda value: value[-40:] if isinstance(value, str) else "",
)  # fmt: skip
def test_common_families_are_told(header: str, expected: tuple[str, str, str, str]) -> None:
    assert user_agent(header) == UserAgent(*expected)
