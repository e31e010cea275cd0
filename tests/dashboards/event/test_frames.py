from typing import Any

import pytest

from dashboards.event.exceptions import stacks
from dashboards.event.frames import frame, frames, runs


def a_frame(function: str, *, in_app: bool = True, line: int = 1, **others: Any) -> dict[str, Any]:
    return {"function": function, "filename": "shop/a.py", "lineno": line, "in_app": in_app, **others}


def a_stack(*sent: dict[str, Any]) -> dict[str, Any]:
    return {"frames": list(sent)}


def test_the_top_frame_is_the_one_sent_last() -> None:
    assert [item.function for item in frames(a_stack(a_frame("outer"), a_frame("inner")), "python")] == [
        "inner",
        "outer",
    ]


def test_runs_of_vendor_frames_are_folded_but_never_the_top_one() -> None:
    vendor = [a_frame(f"v{number}", in_app=False) for number in range(3)]
    shown = runs(frames(a_stack(a_frame("mine"), *vendor), "python"))
    assert [(run.kind, [item.function for item in run.frames]) for run in shown] == [
        ("frame", ["v2"]),
        ("vendor", ["v1", "v0"]),
        ("frame", ["mine"]),
    ]


def test_nothing_is_folded_where_nothing_is_in_app() -> None:
    shown = runs(frames(a_stack(*(a_frame(f"v{number}", in_app=False) for number in range(4))), "python"))
    assert [run.kind for run in shown] == ["frame"] * 4


def test_recursion_shows_one_turn_and_how_often_it_repeats() -> None:
    turns = [a_frame(name) for _ in range(40) for name in ("left", "right")]
    shown = runs(frames(a_stack(a_frame("start"), *turns, a_frame("boom")), "python"))
    assert [(run.kind, [item.function for item in run.frames], run.repeats) for run in shown] == [
        ("frame", ["boom"], 0),
        ("frame", ["right"], 0),
        ("frame", ["left"], 0),
        ("recursion", ["right", "left"], 39),
        ("frame", ["start"], 0),
    ]


def test_source_lines_are_numbered_around_the_failing_one() -> None:
    shown = frame(
        a_frame("f", line=10, pre_context=["a", "b"], context_line="c", post_context=["d"]), "python"
    )
    assert [(line.number, line.code, line.is_failing) for line in shown.source] == [
        (8, "a", False),
        (9, "b", False),
        (10, "c", True),
        (11, "d", False),
    ]


def test_arguments_are_told_from_other_locals() -> None:
    shown = frame(a_frame("f", vars={"order": "1", "total": "2"}, arguments=["order"]), "python")
    assert [node.name for node in shown.arguments] == ["order"]
    assert [node.name for node in shown.local_variables] == ["total"]


def test_a_minified_frame_says_that_no_source_map_was_uploaded() -> None:
    minified = a_frame("e", filename="https://shop.example/app.min.js", colno=20259)
    assert frame(minified, "javascript").lacks_source_map
    assert not frame({**minified, "context_line": "throw e"}, "javascript").lacks_source_map
    assert not frame(minified, "python").lacks_source_map


def test_the_outermost_exception_comes_first_and_says_what_caused_it() -> None:
    payload: dict[str, object] = {
        "exception": {
            "values": [
                {"type": "KeyError", "value": "'x'", "mechanism": {"source": "__context__"}},
                {"type": "ValueError", "value": "bad", "mechanism": {"source": "__cause__"}},
                {"type": "CheckoutFailed", "mechanism": {"handled": False}},
            ]
        }
    }
    shown = [(stack.type, stack.relation, stack.is_unhandled) for stack in stacks(payload)]
    assert shown == [
        ("CheckoutFailed", "", True),
        ("ValueError", "Caused by", False),
        ("KeyError", "Raised while handling", False),
    ]


def test_the_top_in_app_frame_is_open() -> None:
    stack = a_stack(a_frame("mine", context_line="x"), a_frame("theirs", in_app=False, context_line="y"))
    (shown,) = stacks({"exception": {"values": [{"type": "E", "stacktrace": stack}]}})
    assert [item.function for run in shown.runs for item in run.frames if item.is_open] == ["mine"]


@pytest.mark.parametrize(
    "shape", [None, 7, "x", [], {}, [None], {"frames": 3}, {"frames": [None, 4, "x", []]}]
)
def test_a_stack_of_any_shape_is_read(shape: object) -> None:
    assert all(item.function for item in frames(shape, "python"))
