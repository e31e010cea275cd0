import copy
from typing import Any

from errata.grouping import parse_rules
from errata.grouping.in_app import with_in_app_of
from tests.errata.grouping.events import chain, exception, frame, raised, vendor


def marks(event: Any) -> list[Any]:
    return [
        frame.get("in_app")
        for value in event["exception"]["values"]
        for frame in value["stacktrace"]["frames"]
    ]


def test_the_last_rule_that_fits_marks_a_frame_and_the_rest_stays_as_sent() -> None:
    event = raised(vendor("dispatch"), frame("trace", "shop.tracing"), frame("load", "shop.cart"))
    event["threads"] = {"values": [{"stacktrace": {"frames": [frame("trace", "shop.tracing"), "no frame"]}}]}
    sent = copy.deepcopy(event)
    rules = parse_rules("module:shop.* -app\nmodule:shop.cart +app\nfamily:other function:dispatch +app")
    shown = with_in_app_of(rules, event)
    assert (marks(event), marks(shown)) == ([False, True, True], [True, False, True])
    assert [frame["in_app"] for frame in shown["threads"]["values"][0]["stacktrace"]["frames"][:1]] == [False]
    assert event == sent
    assert with_in_app_of(parse_rules("module:nowhere.* -app\ntype:A -> a"), event) == event


def test_each_exception_of_a_chain_and_a_bare_list_of_them_is_marked() -> None:
    event = chain(
        exception("A", "x", frame("a", "shop.tracing")), exception("B", "y", frame("b", "shop.cart"))
    )
    rules = parse_rules("module:shop.tracing -app")
    assert marks(with_in_app_of(rules, event)) == [False, True]
    bare = {**event, "exception": event["exception"]["values"]}
    shown = with_in_app_of(rules, bare)
    assert [value["stacktrace"]["frames"][0]["in_app"] for value in shown["exception"]] == [False, True]


def test_what_is_no_event_is_shown_as_it_is() -> None:
    rules = parse_rules("module:shop.* -app")
    for event in (
        {},
        {"exception": 7, "threads": "none", "stacktrace": []},
        {"exception": {"values": None}, "stacktrace": {"frames": {"a": 1}}},
        {"exception": [None, {"stacktrace": None}, {"stacktrace": {"frames": [7, None]}}]},
    ):
        assert with_in_app_of(rules, event) == event
