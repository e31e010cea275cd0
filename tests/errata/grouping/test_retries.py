from typing import Any

from errata.grouping import fingerprint_of, variant_of
from tests.cases import each
from tests.errata.grouping.events import chain, exception, frame, raised

Event = dict[str, Any]


def issue(event: Event) -> int:
    return fingerprint_of(variant_of(event).shape, 4).fingerprint_hash


JOB, LOAD = frame("job", "shop.jobs"), frame("load", context_line="rows = query(sql)")
RETRY = frame("with_retry", "shop.jobs")
WRAPPER = frame("retry.<locals>.wrapper", "shop.tools")
PLAIN = raised(JOB, LOAD, type_="TimeoutError", value="no answer within 5 s")


def failed(*frames: Event, type_: str = "TimeoutError", value: str = "no answer within 5 s") -> Event:
    return exception(type_, value, *frames)


@each(
    "other",
    [
        chain(failed(JOB, RETRY, LOAD)),
        chain(failed(JOB, WRAPPER, LOAD)),
        chain(failed(JOB, frame("call", "shop.retry"), LOAD)),
        chain(failed(JOB, frame("load_with_retries"), LOAD)),
        chain(failed(JOB, RETRY, LOAD, RETRY, LOAD)),
        chain(failed(RETRY, LOAD), failed(RETRY, LOAD), failed(JOB, RETRY, LOAD)),
        chain(
            failed(WRAPPER, LOAD), failed(JOB, WRAPPER, type_="RetryError", value="gave up after 3 attempts")
        ),
        chain(failed(RETRY, LOAD), failed(JOB, RETRY, type_="RuntimeError", value="failed 3 times")),
        chain(failed(JOB, RETRY, LOAD), failed(JOB, RETRY, type_="MaxRetriesExceeded", value="")),
    ],
    ids=[
        "a function",
        "a decorator",
        "a module",
        "a function named after what it repeats",
        "by recursion",
        "each failure in the chain",
        "an exception of its own",
        "any exception raised there",
        "a cause with its whole stack",
    ],
)
def test_a_bug_under_a_retry_is_the_bug(other: Event) -> None:
    assert issue(other) == issue(PLAIN)


@each(
    "other",
    [
        chain(failed(JOB, RETRY, frame("save", context_line="rows = query(sql)"))),
        chain(failed(JOB, RETRY, LOAD, type_="ValueError")),
        chain(failed(RETRY, LOAD), failed(JOB, frame("report"), type_="RuntimeError")),
        chain(failed(JOB, frame("retry_payment", "shop.pay"), LOAD)),
        chain(failed(JOB, RETRY)),
        chain(failed(JOB, LOAD), failed(JOB, frame("sign_in"), type_="LoginAttemptRefused")),
    ],
    ids=[
        "another place",
        "another type",
        "raised elsewhere",
        "a task called retry",
        "raised by the retry itself",
        "an attempt that is no retry",
    ],
)
def test_another_bug_is_another_issue(other: Event) -> None:
    assert issue(other) != issue(PLAIN)


@each("platform", ["javascript", "node", "go", "ruby", "php", "csharp"])
def test_retries_are_known_in_every_language(platform: str) -> None:
    names = {
        "javascript": "async withRetry",
        "node": "retryAsync",
        "go": "retry.Do.func1",
        "ruby": "block in with_retries",
        "php": "Shop\\RetryPolicy::execute",
        "csharp": "Shop.RetryHelper.ExecuteAsync",
    }

    def sent(*functions: str) -> Event:
        frames = [
            {"function": name, "filename": "/srv/app/src/cart.x", "in_app": True, "module": ""}
            for name in functions
        ]
        return {"platform": platform, "exception": {"values": [exception("Error", "no", *frames)]}}

    assert issue(sent("placeOrder", names[platform], "chargeCard")) == issue(sent("placeOrder", "chargeCard"))


def test_a_minified_or_bare_cause_keeps_its_message() -> None:
    def sent(message: str) -> Event:
        values = [
            {"type": "Error", "value": message},
            {"type": "RetryError", "value": "gave up after 3 attempts"},
        ]
        return {"platform": "javascript", "exception": {"values": values}}

    plain = {"platform": "javascript", "exception": {"values": [{"type": "Error", "value": "card declined"}]}}
    assert issue(sent("card declined")) == issue(plain) != issue(sent("no answer"))


def test_an_explanation_says_what_was_left_out() -> None:
    found = fingerprint_of(variant_of(chain(failed(JOB, RETRY, LOAD))).shape, 4)

    assert [(one["function"], one.get("left_out")) for one in found.explanation["frames"]] == [
        ("with_retry", "calls again what failed"),
        ("job", None),
        ("load", None),
    ]


def test_members_of_a_group_have_no_order() -> None:
    members = [failed(JOB, LOAD), failed(frame("other"), LOAD), failed(JOB, frame("save"))]
    group = failed(JOB, type_="ExceptionGroup") | {"mechanism": {"is_exception_group": True}}

    assert issue(chain(*members, group)) == issue(chain(members[0], members[2], members[1], group))
