from typing import Any

from errata.comparison import compared
from tests.cases import each
from tests.dashboards.events import all_captured, captured, misshapen


def section(name: str, left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = {each.name: each for each in compared(left, right)}
    rows = found[name].rows if name in found else ()
    return [(row.path, row.left.text, row.right.text) for row in rows if row.is_different]


def test_two_events_of_one_bug_are_told_apart_by_user_request_tags_and_variables() -> None:
    events = [one for one in captured("python_errors") if one["extra"]["case"] == "no_discount_payments"]
    left, right = [one for one in events if one.get("request")][:2]
    assert ("id", left["user"]["id"], right["user"]["id"]) in section("user", left, right)
    assert any(path == "url" for path, _, _ in section("request", left, right))
    assert any(path.startswith("body.cart") for path, _, _ in section("request", left, right))
    assert section("tags", left, right)
    assert any(path == "no_discount_payments.ref" for path, _, _ in section("variables", left, right))
    assert not [path for path, _, _ in section("event", left, right) if path in ("type", "value", "platform")]


def test_no_captured_event_differs_from_itself() -> None:
    for payload in all_captured()[::7]:
        assert sum(each.different_count for each in compared(payload, payload)) == 0


def test_headers_are_compared_whatever_their_case_and_form() -> None:
    left = {"request": {"headers": {"User-Agent": "a", "Cookie": "[Filtered]"}}}
    right = {"request": {"headers": [["user-agent", "a"], ["cookie", "[FILTERED]"]]}}
    assert section("request", left, right) == []


def test_query_parameters_are_read_from_the_address_where_nothing_else_has_them() -> None:
    left = {"request": {"url": "/x?a=1&b=2&b=3"}}
    right = {"request": {"url": "/x?a=1&b=2&b=3", "query_string": "a=2&b=2"}}
    assert section("request", left, right) == [
        ("query.a", "1", "2"),
        ("query.b", '["2", "3"]', "2"),
    ]


def test_breadcrumbs_are_aligned_by_what_they_say() -> None:
    left = {"breadcrumbs": {"values": [{"category": "ui", "message": word} for word in "abcd"]}}
    right = {"breadcrumbs": [{"category": "ui", "message": word} for word in "abxd"] + [{"message": "e"}]}
    assert section("breadcrumbs", left, right) == [("ui", "c", "x"), ("default", "", "e")]


def test_variables_of_a_function_called_twice_are_told_apart() -> None:
    def event(*values: int) -> dict[str, Any]:
        frames = [{"function": "f", "vars": {"n": value}} for value in values]
        return {"exception": {"values": [{"stacktrace": {"frames": frames}}]}}

    assert section("variables", event(1, 2), event(3, 2)) == [("f#2.n", "1", "3")]


def test_where_an_object_lay_in_memory_makes_no_difference() -> None:
    def event(address: str) -> dict[str, Any]:
        frame = {"function": "f", "vars": {"self": {"repr": [f"<Shop object at {address}>"]}}}
        return {"exception": {"values": [{"stacktrace": {"frames": [frame]}}]}}

    assert section("variables", event("0x7ffa35ba0001"), event("0x7ffa35ba0002")) == []


def test_a_section_that_neither_has_is_left_out() -> None:
    assert [each.name for each in compared({"level": "error"}, {"user": {}})] == ["event"]


@each("position", [3, 200])
def test_payloads_of_any_shape_are_compared(position: int) -> None:
    payload = captured("python_errors")[position]
    for wrong in list(misshapen(payload))[::9]:
        assert compared(payload, wrong)
        assert compared(wrong, {}) is not None
