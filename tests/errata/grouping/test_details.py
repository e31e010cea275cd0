"""Messages whose template hides what names the bug."""

from typing import Any

import pytest

from errata.grouping import VERSIONS, fingerprint_of, variant_of
from errata.grouping.similarity import trace_of

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


@pytest.mark.parametrize("frames", [NO_FRAMES, MINIFIED, READABLE], ids=["no stack", "minified", "readable"])
@pytest.mark.parametrize("messages", CODED.values(), ids=CODED)
def test_the_code_of_a_framework_counts_and_its_arguments_do_not(
    messages: tuple[str, str, str], frames: tuple[str, ...]
) -> None:
    one, again, other = (issue(raised(message, frames)) for message in messages)

    assert one == again
    assert one != other


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


@pytest.mark.parametrize("version", [each for each in VERSIONS if each < 4])
def test_earlier_versions_read_no_details(version: int) -> None:
    assert issue(raised(react(418)), version) == issue(raised(react(425)), version)


def test_pipelines_do_not_merge_what_details_tell_apart() -> None:
    traces = [trace_of(variant_of(raised(react(number), READABLE)).shape) for number in (418, 425)]

    assert traces[0] is not None and traces[1] is not None
    assert traces[0].template != traces[1].template
