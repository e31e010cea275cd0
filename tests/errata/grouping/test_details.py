"""Messages whose template hides what names the bug."""

from typing import Any

import pytest

from errata.grouping import VERSIONS, fingerprint_of, variant_of
from errata.grouping.similarity import trace_of
from tests.cases import each
from tests.errata.grouping.labelled import events_of

Event = dict[str, Any]
FILE = "https://shop.test/assets/index-ADMYCDFX.js"
NO_FRAMES: tuple[str, ...] = ()
MINIFIED = ("r", "qm", "XAt")
READABLE = ("renderRoot", "submitOrder")


def raised(message: str, frames: tuple[str, ...] = NO_FRAMES, type_: str = "Error", **other: Any) -> Event:
    listed = [{"function": name, "filename": FILE, "in_app": True, "lineno": 1} for name in frames]
    item = {"type": type_, "value": message} | ({"stacktrace": {"frames": listed}} if listed else {})
    return {"platform": "javascript", "exception": {"values": [item]}} | other


def issue(event: Event, version: int = 4) -> int:
    return fingerprint_of(variant_of(event).shape, version).fingerprint_hash


def react(number: int, *arguments: str) -> str:
    told = "&".join(f"args[]={argument}" for argument in arguments)
    return (
        f"Minified React error #{number}; visit https://react.dev/errors/{number}?{told} for the full "
        "message or use the non-minified dev environment for full errors and additional helpful warnings."
    )


def old_react(number: int, *arguments: str) -> str:
    return (
        f"Minified React error #{number}; visit https://reactjs.org/docs/error-decoder.html?invariant={number}"
        f"{''.join(f'&args[]={each}' for each in arguments)} for the full message or use the "
        "non-minified dev environment for full errors and additional helpful warnings."
    )


APOLLO = "An error occurred! For more details, see the full error text at https://go.apollo.dev/c/err#"
# Two messages of one error, then one of another.
CODED = {
    "React": (react(418, "HTML", ""), react(418, "text", "Monday"), react(425)),
    "React 18": (old_react(185), old_react(185, "Cart"), old_react(418)),
    "Redux": (
        "Minified Redux error #3; visit https://redux.js.org/Errors?code=3",
        "Minified Redux error #3; visit https://redux.js.org/Errors?code=3&a=1",
        "Minified Redux error #13; visit https://redux.js.org/Errors?code=13",
    ),
    "MUI": (
        "Minified MUI error #9; visit https://mui.com/production-error/?code=9&args[]=%23abc.",
        "MUI: Minified MUI error #9; see https://mui.com/production-error/?code=9&args[]=red.",
        "Minified MUI error #8; visit https://mui.com/production-error/?code=8&args[]=red.",
    ),
    "Immer": (
        "[Immer] minified error nr: 15 'cart'. Full error at: https://bit.ly/3cXEKWf",
        "[Immer] minified error nr: 15 'a/b'. Full error at: https://bit.ly/3cXEKWf",
        "[Immer] minified error nr: 3. Full error at: https://bit.ly/3cXEKWf",
    ),
    "Angular": (
        "NG04002: 'orders/17'",
        "Uncaught (in promise): Error: NG04002: 'cart/ada'",
        "NG0203: inject() must be called from an injection context",
    ),
    "Angular, words alike": (
        "NG0100: ExpressionChangedAfterItHasBeenCheckedError. Previous value: '17'. Find more at https://angular.dev",
        "NG0100: ExpressionChangedAfterItHasBeenCheckedError. Previous value: 'Ada'. Find more at https://angular.dev",
        "NG0101: ExpressionChangedAfterItHasBeenCheckedError. Previous value: '17'. Find more at https://angular.dev",
    ),
    "AngularJS": (
        "[$injector:unpr] http://errors.angularjs.org/1.8.2/$injector/unpr?p0=cartProvider",
        "[$injector:unpr] http://errors.angularjs.org/1.8.3/$injector/unpr?p0=menu/provider",
        "[$injector:nomod] http://errors.angularjs.org/1.8.2/$injector/nomod?p0=shop",
    ),
    "Vue": (
        "https://vuejs.org/error-reference/#compiler-30",
        "SyntaxError: https://vuejs.org/error-reference/#compiler-30 (12:7)",
        "https://vuejs.org/error-reference/#compiler-24",
    ),
    "Next": (
        "NEXT_HTTP_ERROR_FALLBACK;404",
        "Error: NEXT_HTTP_ERROR_FALLBACK;404",
        "NEXT_HTTP_ERROR_FALLBACK;403",
    ),
    "Next, by page": (
        'Invalid src prop (https://cdn.test/a.png) on `next/image`, hostname "cdn.test" is not configured. '
        "See more info: https://nextjs.org/docs/messages/next-image-unconfigured-host",
        "Invalid src prop (/17) on `next/image`. "
        "See more info: https://nextjs.org/docs/messages/next-image-unconfigured-host",
        "Invalid src prop (/17) on `next/image`. See more info: https://nextjs.org/docs/messages/no-img",
    ),
    "styled-components": (
        "An error occurred. See https://github.com/styled-components/styled-components/blob/main/packages/"
        "styled-components/src/utils/errors.md#12 for more information. Args: red",
        "An error occurred. See https://github.com/styled-components/styled-components/blob/main/packages/"
        "styled-components/src/utils/errors.md#12 for more information. Args: 17, blue",
        "An error occurred. See https://github.com/styled-components/styled-components/blob/main/packages/"
        "styled-components/src/utils/errors.md#17 for more information.",
    ),
    "Apollo": (
        f"{APOLLO}%7B%22version%22%3A%223.11.8%22%2C%22message%22%3A17%2C%22args%22%3A%5B%22cart%22%5D%7D",
        f"{APOLLO}%7B%22version%22%3A%223.11.8%22%2C%22message%22%3A17%2C%22args%22%3A%5B%5D%7D",
        f"{APOLLO}%7B%22version%22%3A%223.11.8%22%2C%22message%22%3A32%2C%22args%22%3A%5B%5D%7D",
    ),
}


@each("frames", [NO_FRAMES, MINIFIED, READABLE], ids=["no stack", "minified", "readable"])
@each("messages", CODED.values(), ids=CODED)
def test_the_code_of_a_framework_counts_and_its_arguments_do_not(
    messages: tuple[str, str, str], frames: tuple[str, ...]
) -> None:
    one, again, other = (issue(raised(message, frames)) for message in messages)

    assert one == again
    assert one != other


def test_errors_of_real_builds_of_react_have_an_issue_for_each_code() -> None:
    """Codes as React's own pages of errors count them: in 19 text and elements that differ are both 418."""
    found: dict[str, set[int]] = {}
    for event in events_of("framework_errors.jsonl.gz"):
        code = event["exception"]["values"][-1]["value"].partition("#")[2].partition(";")[0]
        found.setdefault(code, set()).add(issue({**event, "extra": {}}))

    assert sorted(found) == ["130", "185", "301", "31", "310", "418", "423", "425"]
    assert all(len(issues) == 1 for issues in found.values()), found
    assert len({one for issues in found.values() for one in issues}) == 8


def test_codes_count_in_log_messages_and_in_causes() -> None:
    def logged(message: str) -> int:
        return issue({"platform": "javascript", "logger": "console", "message": message})

    def caused(message: str) -> int:
        outer = raised("There was an error while hydrating")["exception"]["values"]
        return issue(
            raised(message) | {"exception": {"values": [*raised(message)["exception"]["values"], *outer]}}
        )

    for told in (logged, caused):
        assert told(react(418, "HTML")) == told(react(418, "text")) != told(react(425))


def test_a_number_that_is_no_code_of_a_framework_stays_a_value() -> None:
    for one, other in (
        ("Order #418 was not paid", "Order #425 was not paid"),
        ("Product NG17 is sold out", "Product NG18 is sold out"),
        ("No page 404;NEXT", "No page 403;NEXT"),
    ):
        assert variant_of(raised(one)).shape.details == ()
        assert issue(raised(one)) == issue(raised(other))


@each("version", [each for each in VERSIONS if each < 4])
def test_earlier_versions_read_no_details(version: int) -> None:
    assert issue(raised(react(418)), version) == issue(raised(react(425)), version)


def test_pipelines_do_not_merge_what_details_tell_apart() -> None:
    traces = [trace_of(variant_of(raised(react(number), READABLE)).shape) for number in (418, 425)]

    assert traces[0] is not None and traces[1] is not None
    assert traces[0].template != traces[1].template


HOST = "https://shop.test/assets"
# One module in several builds, engines and bundlers, then another.
MODULES = {
    "Chromium": [
        f"Failed to fetch dynamically imported module: {HOST}/Settings-Ab12.js",
        f"Failed to fetch dynamically imported module: {HOST}/Settings-CkQ9aBz_.js",
        "Failed to fetch dynamically imported module: https://eu.shop.test/v2.1.0/assets/Settings-B-1Dc3yt.js",
        f"Failed to fetch dynamically imported module: {HOST}/Cart-Ab12.js",
    ],
    "Firefox": [
        f"error loading dynamically imported module: {HOST}/Settings-Ab12.js",
        f"Failed to fetch dynamically imported module: {HOST}/Settings-DdQ9aBz4.js",
        f"error loading dynamically imported module: {HOST}/Cart-Ab12.js",
    ],
    "Vite's styles": [
        "Unable to preload CSS for /assets/Settings-Ab12.css",
        f"Failed to fetch dynamically imported module: {HOST}/Settings-DdQ9aBz4.js",
        "Unable to preload CSS for /assets/Cart-Ab12.css",
    ],
    "webpack, named": [
        "Loading chunk settings failed.\n(error: https://shop.test/js/settings.0a1b2c3d4e.js)",
        "Loading chunk settings failed.\n(timeout: https://shop.test/js/settings.99ffaa0011.js)",
        "Loading CSS chunk settings failed.\n(https://shop.test/css/settings.0a1b2c3d4e.css)",
        "Loading chunk cart failed.\n(error: https://shop.test/js/cart.0a1b2c3d4e.js)",
    ],
    "webpack, numbered": [
        "Loading chunk 12 failed.\n(error: https://shop.test/js/12.0a1b2c3d4e.js)",
        "Loading chunk 12 failed.\n(missing: https://shop.test/js/12.99ffaa0011.chunk.js)",
        "Loading chunk 37 failed.\n(error: https://shop.test/js/37.0a1b2c3d4e.js)",
    ],
    "Next": [
        "Loading chunk 931 failed.\n(error: https://shop.test/_next/static/chunks/app/settings/page-0a1b2c3d4e5f6a7b.js)",
        "Loading chunk 118 failed.\n(error: https://shop.test/_next/static/chunks/app/settings/page-ffff2c3d4e5f6a7b.js)",
        "Loading chunk 931 failed.\n(error: https://shop.test/_next/static/chunks/app/cart/page-0a1b2c3d4e5f6a7b.js)",
    ],
}


@each("messages", MODULES.values(), ids=MODULES)
def test_a_module_that_was_not_loaded_is_an_issue_of_its_own(messages: list[str]) -> None:
    *same, other = [
        issue(raised(message, frames, type_))
        for message in messages
        for frames, type_ in ((NO_FRAMES, "TypeError"), (MINIFIED, "ChunkLoadError"))
    ][:-1]

    assert len(set(same)) == 1
    assert other not in same


def test_hyphens_of_a_module_name_are_no_hash() -> None:
    names = ("user-profile", "user-settings", "report-2d-view", "step-2", "step-3", "ChartPanel")
    found = {
        issue(raised(f"Failed to fetch dynamically imported module: {HOST}/{name}.js")) for name in names
    }

    assert len(found) == len(names)


def script_error(url: str, browser: str, **other: Any) -> Event:
    return raised("Script error.", request={"url": url}, contexts={"browser": {"name": browser}}, **other)


FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.mark.parametrize(
    "other",
    [
        script_error("https://shop.test/orders/18?from=mail#top", "Firefox"),
        script_error("https://shop.test/orders/17", "Firefox Mobile"),
        script_error("https://shop.test/orders/17", "Firefox", type_="ErrorEvent"),
        script_error("https://shop.test/orders/17", "Firefox", frames=("?", "r")),
        raised(
            "Uncaught Error: Script error.",
            request={"url": "https://shop.test/orders/17/", "headers": [["User-Agent", FIREFOX]]},
        ),
        {
            "platform": "javascript",
            "message": "Script error",
            "request": {"url": "https://shop.test/orders/17", "headers": {"User-Agent": FIREFOX}},
        },
    ],
    ids=["another id", "on a phone", "another type", "with frames", "by its header", "as a message"],
)
def test_script_errors_of_a_page_and_browser_family_are_one_issue(other: Event) -> None:
    assert issue(other) == issue(script_error("https://shop.test/orders/17", "Firefox"))


@pytest.mark.parametrize(
    "other",
    [
        script_error("https://shop.test/cart", "Firefox"),
        script_error("https://shop.test/orders/17", "Mobile Safari"),
        raised("Script error. Please reload", request={"url": "https://shop.test/orders/17"}),
    ],
    ids=["another page", "another browser", "more words"],
)
def test_script_errors_of_other_pages_and_browsers_are_others(other: Event) -> None:
    assert issue(other) != issue(script_error("https://shop.test/orders/17", "Firefox"))
