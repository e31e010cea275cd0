from typing import Any

from dashboards.event.request import parameters, request
from tests.cases import each


@each("sent", ["a=1&b=%20x", "?a=1&b=%20x", [["a", "1"], ["b", " x"]], {"a": "1", "b": " x"}])
def test_query_parameters_are_read_from_every_form(sent: Any) -> None:
    assert [(node.name, node.text) for node in parameters(sent)] == [("a", "1"), ("b", " x")]


def test_headers_come_sorted_and_what_was_filtered_is_known() -> None:
    shown = request({"request": {"headers": [["Host", "x"], ["authorization", "[Filtered]"]]}})
    assert shown
    assert [(node.name, node.kind) for node in shown.headers] == [
        ("authorization", "filtered"),
        ("Host", "text"),
    ]


def test_a_body_that_is_json_in_a_text_is_shown_as_json() -> None:
    shown = request({"request": {"data": '{"cart": [1, 2]}'}})
    assert shown and shown.body
    assert [node.name for node in shown.body.children] == ["cart"]
    broken = request({"request": {"data": '{"cart": [1, '}})
    assert broken and broken.body
    assert broken.body.text == '{"cart": [1, '


def test_the_query_of_the_address_stands_in_for_a_missing_one() -> None:
    shown = request({"request": {"url": "http://shop/x?page=2"}})
    assert shown
    assert [(node.name, node.text) for node in shown.parameters] == [("page", "2")]


def test_no_request_is_none() -> None:
    assert request({}) is None
