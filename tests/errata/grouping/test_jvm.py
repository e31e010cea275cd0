from collections.abc import Callable
from typing import Any

from errata.grouping import fingerprint_of, variant_of
from tests.cases import each
from tests.errata.grouping.java_stacks import as_library, events_of_stacks, is_held_out
from tests.errata.grouping.labelled import Event
from tests.errata.grouping.pairwise import Pairwise, pairwise


def held_out(version: int, changed: Callable[[Event], Event] = lambda event: event) -> Pairwise:
    return pairwise(
        (event["extra"]["case"], issue(changed({**event, "extra": {}}), version))
        for event in events_of_stacks()
        if is_held_out(event["extra"]["case"])
    )


@each(("version", "recall"), [(3, 0.85), (4, 0.88)])
def test_stacks_of_java_programs_find_their_bugs_however_these_were_reached(
    version: int, recall: float
) -> None:
    score = held_out(version)

    assert score.bugs >= 50
    assert score.precision >= 0.95
    assert score.recall >= recall


def test_the_people_of_a_library_find_their_bugs_as_others_do() -> None:
    score = held_out(4, as_library)

    assert score.precision >= 0.95
    assert score.recall >= 0.85
    assert held_out(3, as_library).recall < 0.4


Frame = dict[str, Any]


def frame(module: str, function: str, **other: Any) -> Frame:
    return {"module": module, "function": function, "filename": "A.java", "lineno": 7} | other


def thrown(type_: str, value: str, *frames: Frame, mechanism: str = "chained") -> dict[str, Any]:
    return {
        "type": type_,
        "module": "java.lang",
        "value": value,
        "stacktrace": {"frames": list(frames)},
        "mechanism": {"type": mechanism},
    }


def event(*exceptions: dict[str, Any]) -> Event:
    return {"platform": "java", "exception": {"values": list(exceptions)}}


def issue(sent: Event, version: int = 3) -> int:
    return fingerprint_of(variant_of(sent).shape, version).fingerprint_hash


THREAD = frame("java.lang.Thread", "run")
CALLER = frame("com.acme.Checkout", "submit")
PLACE = frame("com.acme.Stock", "reserve")
PLAIN = event(thrown("IllegalStateException", "no stock of A-1", THREAD, CALLER, PLACE))


@each(
    "other",
    [
        event(
            thrown(
                "IllegalStateException", "no stock of B-7", THREAD, frame("com.acme.Nightly", "run"), PLACE
            )
        ),
        event(
            thrown("IllegalStateException", "no stock of A-1", THREAD, CALLER, PLACE),
            thrown("ExecutionException", "java.lang.IllegalStateException: no stock of A-1", THREAD, CALLER),
            thrown("ServiceException", "Request 8841 failed", THREAD, frame("com.acme.Api", "handle")),
        ),
        event(
            thrown("IOException", "already closed", frame("com.acme.Pool", "close"), mechanism="suppressed"),
            thrown("IllegalStateException", "no stock of A-1", THREAD, CALLER, PLACE),
        ),
        event(
            thrown(
                "IllegalStateException",
                "no stock of A-1",
                THREAD,
                CALLER,
                frame("com.acme.Stock$$Lambda$14/0x00007fc5a403f768", "run"),
                frame("com.acme.Stock", "lambda$reserve$3"),
                frame("com.acme.Checks", "isTrue"),
                frame("java.util.Objects", "requireNonNull"),
            )
        ),
    ],
    ids=["another caller", "wrapped twice", "with a suppressed exception", "in a lambda, refused by a check"],
)
def test_one_bug_is_one_issue(other: Event) -> None:
    assert issue(other) == issue(PLAIN)


@each(
    "other",
    [
        event(thrown("IllegalStateException", "stock is locked", THREAD, CALLER, PLACE)),
        event(thrown("UnsupportedOperationException", "no stock of A-1", THREAD, CALLER, PLACE)),
        event(
            thrown(
                "IllegalStateException", "no stock of A-1", THREAD, CALLER, frame("com.acme.Stock", "take")
            )
        ),
    ],
    ids=["other words", "another type", "another place"],
)
def test_two_bugs_are_two_issues(other: Event) -> None:
    assert issue(other) != issue(PLAIN)


def test_a_function_called_from_everywhere_is_told_apart_by_its_caller() -> None:
    def failing(caller: str, function: str) -> int:
        inner = frame("com.acme.Database", function)
        return issue(event(thrown("SQLException", "timeout", THREAD, frame(caller, "load"), inner)))

    assert failing("com.acme.Orders", "query") != failing("com.acme.Users", "query")
    assert failing("com.acme.Orders", "migrate") == failing("com.acme.Users", "migrate")


def test_a_stack_within_libraries_is_told_by_its_three_innermost_places() -> None:
    inner = [frame("org.apache.kafka.clients.Fetcher", name) for name in ("poll", "fetchOne", "decode")]
    plain, other = (
        issue(event(thrown("TimeoutException", "", THREAD, frame("org.apache.kafka.Main", outer), *inner)))
        for outer in ("a", "b")
    )

    assert plain == other
    assert plain != issue(event(thrown("TimeoutException", "", THREAD, *inner[:2])))


@each(
    "message",
    [
        'Cannot invoke "String.trim()" because "<parameter1>" is null',
        'Cannot read field "name" because "order.customer" is null',
        "Attempt to invoke virtual method 'int com.acme.Order.size()' on a null object reference",
    ],
    ids=["a call", "a field", "Android"],
)
def test_a_null_is_one_issue_whether_the_machine_says_what_it_was(message: str) -> None:
    def met(said: str, place: Frame = PLACE) -> int:
        return issue(event(thrown("NullPointerException", said, THREAD, CALLER, place)), 4)

    assert met(message) == met("")
    assert met(message) != met("no customer given")
    # Bodies that a compiler calls alike are told apart by it.
    bodies = frame("com.acme.Stock", "lambda$new$3")
    assert met('Cannot invoke "A.b()" because "a" is null', bodies) != met(
        'Cannot read field "x" because "a" is null', bodies
    )


@each(
    ("one", "other"),
    [
        ("data/ada/cart.txt not found", "data/bob/cart.txt not found"),
        ("column orders.total does not exist", "column users.total does not exist"),
        ("lookup failed on db-a.shop.internal today", "lookup failed on cache.shop.internal today"),
        ("setting cart_size is missing", "setting order_limit is missing"),
    ],
    ids=["file", "column", "host", "setting"],
)
def test_names_in_a_message_are_no_words(one: str, other: str) -> None:
    def met(said: str) -> int:
        return issue(event(thrown("ShopException", said, THREAD, CALLER, PLACE)), 4)

    assert met(one) == met(other) != met("stock is locked")


@each("module", ["org.yaml.snakeyaml.Yaml", "io.jsonwebtoken.Jwts", "com.auth0.jwt.Verifier"])
def test_the_caller_of_a_known_library_decides_until_only_libraries_are_left(module: str) -> None:
    inner, deeper = (frame(module, name) for name in ("parse", "parseNode"))

    def met(*frames: Frame) -> int:
        return issue(event(thrown("IllegalStateException", "broken", THREAD, *frames)), 4)

    assert met(PLACE, inner) == met(PLACE, inner, deeper) == met(PLACE)
    assert met(inner) != met(inner, deeper)


def test_an_explanation_says_why_each_frame_counts_or_does_not() -> None:
    shape = variant_of(
        event(
            thrown("IllegalStateException", "no", THREAD, CALLER, PLACE, frame("com.acme.Checks", "isTrue")),
            thrown("ServiceException", "failed", THREAD, frame("com.acme.Api", "handle")),
        )
    ).shape
    frames = fingerprint_of(shape, 3).explanation["frames"]

    assert [one["used_as"] or one["left_out"] for one in frames] == [
        "of the platform",
        "further out",
        "com.acme.Stock reserve",
        "refuses for its caller",
        "not the deepest cause",
        "not the deepest cause",
    ]
