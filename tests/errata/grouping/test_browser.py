from tests.cases import each
from tests.errata.grouping.events import Event, frame, issue, raised


def at(function: str, file: str) -> Event:
    return frame(function, None, filename=f"https://shop.example/assets/{file}")


def browser(*frames: Event, type_: str = "TypeError", value: str = "cart is empty") -> Event:
    return raised(*frames, type_=type_, value=value, platform="javascript")


def test_a_new_build_renames_everything_and_stays_one_issue() -> None:
    old = browser(at("HTMLButtonElement.r", "1.0.0/monitor-8-CQLMCFYD.js"), at("f", "1.0.0/cart-NQ7QGWWB.js"))
    new = browser(
        at("HTMLButtonElement.n", "1.1.0/monitor-11-4H2VSIEC.js"), at("?", "1.1.0/cart-ADMYCDFX.js")
    )

    assert issue(old) == issue(new)


def test_a_bundle_that_runs_on_the_server_is_minified_too() -> None:
    def event(function: str, message: str) -> Event:
        file = "/srv/app/.output/server/chunks/cart.3f9a0c1b77.mjs"
        return raised(frame(function, None, filename=file), value=message, platform="node")

    assert issue(event("Qe", "cart 17 is empty")) == issue(event("Zt", "cart 18 is empty"))
    assert issue(event("Qe", "cart 17 is empty")) != issue(event("Qe", "cart 17 is locked"))


def test_readable_browser_code_is_told_by_its_functions_whatever_the_message() -> None:
    def event(user: str) -> Event:
        return browser(at("run", "app.js"), at("findUser", "app.js"), type_="Error", value=f"no user {user}")

    assert issue(event("Ada")) == issue(event("Grace"))


def test_an_sdk_that_hides_its_fetch_wrapper_splits_nothing() -> None:
    shown = browser(
        at("r", "sdk.js"), at("g", "cart.js"), at("apply", "sdk.js"), value="Failed to fetch (a.example)"
    )
    hidden = browser(at("r", "sdk.js"), at("g", "cart.js"), value="Failed to fetch")

    assert issue(shown) == issue(hidden)


def test_the_way_a_framework_calls_a_bundle_does_not_matter() -> None:
    scheduled = browser(at("Rk", "vendors-8f3a9c1d.js"), at("Zt", "cart.js"))
    at_once = browser(at("n", "cart.js"), at("Uo", "vendors-8f3a9c1d.js"), at("Zt", "cart.js"))

    assert issue(scheduled) == issue(at_once)
    assert issue(browser(at("Rk", "vendors-8f3a9c1d.js"))) != issue(scheduled)


def test_two_bugs_of_a_bundle_are_told_apart_by_their_message() -> None:
    left = browser(at("f", "cart.js"), value="Cannot read properties of null (reading 'name')")
    right = browser(at("g", "cart.js"), value="Cannot read properties of null (reading 'price')")

    assert issue(left) != issue(right)


def test_the_same_message_from_two_bundles_is_two_issues() -> None:
    assert issue(browser(at("f", "cart.js"))) != issue(browser(at("f", "checkout.js")))


def test_a_name_that_survives_minification_counts() -> None:
    assert issue(browser(at("r", "app.js"), at("applyRate", "app.js"))) != issue(
        browser(at("r", "app.js"), at("applyTax", "app.js"))
    )


@each(
    ("chromium", "other"),
    [
        ("Failed to fetch (api.shop.example)", "Failed to fetch"),
        ("Failed to fetch", "NetworkError when attempting to fetch resource."),
        ("Failed to fetch", "Load failed"),
        ("Cannot read properties of null (reading 'name')", "Cannot read property 'name' of null"),
        (
            "Cannot read properties of null (reading 'name')",
            "null is not an object (evaluating 'e.user.name')",
        ),
        (
            "Cannot read properties of null (reading 'name')",
            """can't access property "name", e.user is null""",
        ),
        ("loyalty is not defined", "Can't find variable: loyalty"),
    ],
)
def test_engines_and_sdk_versions_may_word_one_mistake_differently(chromium: str, other: str) -> None:
    assert issue(browser(at("f", "cart.js"), value=chromium)) == issue(
        browser(at("g", "cart.js"), value=other)
    )


def test_a_stack_overflow_is_one_issue_in_chromium_and_firefox() -> None:
    cycle = [at("t", "tax.js")] * 50
    chromium = browser(*cycle, type_="RangeError", value="Maximum call stack size exceeded")
    firefox = browser(*cycle, type_="InternalError", value="too much recursion")

    assert issue(chromium) == issue(firefox)


def test_an_exception_without_type_or_stack_is_told_by_its_message() -> None:
    def event(value: str) -> Event:
        return {"platform": "javascript", "exception": {"values": [{"value": value}]}}

    assert issue(event("address 17 is taken")) == issue(event("address 4019 is taken"))
    assert issue(event("address 17 is taken")) != issue(event("address 17 is invalid"))
