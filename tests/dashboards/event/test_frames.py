from typing import Any

from dashboards.event.event import event
from dashboards.event.exceptions import stacks
from dashboards.event.frames import frame, frames, runs
from dashboards.event.markdown import event_markdown
from dashboards.event.minified import MinifiedSummary, explained
from dashboards.event.text import event_text
from errata.source_maps.frames import Script, position_of, url_of
from errata.source_maps.reasons import Reason, Unmapped
from tests.cases import each


def a_frame(function: str, *, in_app: bool = True, line: int = 1, **others: Any) -> dict[str, Any]:
    return {"function": function, "filename": "shop/a.py", "lineno": line, "in_app": in_app, **others}


def a_stack(*sent: dict[str, Any]) -> dict[str, Any]:
    return {"frames": list(sent)}


def test_the_top_frame_is_the_one_sent_last() -> None:
    assert [item.function for item in frames(a_stack(a_frame("outer"), a_frame("inner")))] == [
        "inner",
        "outer",
    ]


def test_runs_of_vendor_frames_are_folded_but_never_the_top_one() -> None:
    vendor = [a_frame(f"v{number}", in_app=False) for number in range(3)]
    shown = runs(frames(a_stack(a_frame("mine"), *vendor)))
    assert [(run.kind, [item.function for item in run.frames]) for run in shown] == [
        ("frame", ["v2"]),
        ("vendor", ["v1", "v0"]),
        ("frame", ["mine"]),
    ]


def test_nothing_is_folded_where_nothing_is_in_app() -> None:
    shown = runs(frames(a_stack(*(a_frame(f"v{number}", in_app=False) for number in range(4)))))
    assert [run.kind for run in shown] == ["frame"] * 4


def test_recursion_shows_one_turn_and_how_often_it_repeats() -> None:
    turns = [a_frame(name) for _ in range(40) for name in ("left", "right")]
    shown = runs(frames(a_stack(a_frame("start"), *turns, a_frame("boom"))))
    assert [(run.kind, [item.function for item in run.frames], run.repeats) for run in shown] == [
        ("frame", ["boom"], 0),
        ("frame", ["right"], 0),
        ("frame", ["left"], 0),
        ("recursion", ["right", "left"], 39),
        ("frame", ["start"], 0),
    ]


def test_source_lines_are_numbered_around_the_failing_one() -> None:
    shown = frame(a_frame("f", line=10, pre_context=["a", "b"], context_line="c", post_context=["d"]))
    assert [(line.number, line.code, line.is_failing) for line in shown.source] == [
        (8, "a", False),
        (9, "b", False),
        (10, "c", True),
        (11, "d", False),
    ]


def test_arguments_are_told_from_other_locals() -> None:
    shown = frame(a_frame("f", vars={"order": "1", "total": "2"}, arguments=["order"]))
    assert [node.name for node in shown.arguments] == ["order"]
    assert [node.name for node in shown.local_variables] == ["total"]


MINIFIED = {
    "filename": "https://shop.example/app.min.js",
    "function": "e",
    "lineno": 1,
    "colno": 20259,
    "in_app": True,
}


def unmapped(raw: dict[str, Any], reason: Reason = Reason.RELEASE_WITHOUT_UPLOAD) -> Unmapped:
    return Unmapped(Script(url_of(raw), None, "shop@1.0.0", ""), position_of(raw), "e", reason)


def an_event(*sent: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"exception": {"values": [{"type": "E", "stacktrace": a_stack(*sent), **others}]}}


def test_a_frame_that_stays_minified_is_found_by_its_url_and_position() -> None:
    reasons = explained([unmapped(MINIFIED)])
    assert frame(MINIFIED, reasons).unmapped == unmapped(MINIFIED)
    assert frame({**MINIFIED, "colno": 3}, reasons).unmapped is None
    assert frame({**MINIFIED, "filename": "https://shop.example/other.js"}, reasons).unmapped is None


def test_frames_without_a_position_are_not_called_minified() -> None:
    native = {"filename": "https://shop.example/", "function": "forEach"}
    shown = event(an_event(native), unmapped=[unmapped(native, Reason.NO_POSITION)])
    assert shown.minified is None and shown.stacks[0].frames[0].unmapped is None


def test_minified_frames_with_one_reason_share_a_sentence_and_a_remedy() -> None:
    other = {**MINIFIED, "colno": 3}
    shown = event(an_event(a_frame("mine"), MINIFIED, other), unmapped=[unmapped(MINIFIED), unmapped(other)])
    assert shown.minified == MinifiedSummary(
        2,
        3,
        True,
        "No source maps have been uploaded for release shop@1.0.0.",
        "Upload the source maps of release shop@1.0.0.",
    )
    differ = event(
        an_event(MINIFIED, other), unmapped=[unmapped(MINIFIED), unmapped(other, Reason.UNREADABLE)]
    )
    assert differ.minified == MinifiedSummary(2, 2, True, "", "")


def test_minified_frames_of_vendors_are_not_summed_up_beside_own_frames() -> None:
    vendor = {**MINIFIED, "in_app": False}
    assert event(an_event(a_frame("mine"), vendor), unmapped=[unmapped(vendor)]).minified is None
    alone = event(an_event(vendor), unmapped=[unmapped(vendor)]).minified
    assert alone is not None and not alone.is_in_app


def test_a_minified_frame_is_closed_and_the_readable_one_below_it_open() -> None:
    readable = a_frame("mine", context_line="x")
    (shown,) = event(an_event(readable, MINIFIED), unmapped=[unmapped(MINIFIED)]).stacks
    assert [(run.frames[0].function, run.frames[0].is_open) for run in shown.runs] == [
        ("e", False),
        ("mine", True),
    ]
    (alone,) = event(an_event(MINIFIED), unmapped=[unmapped(MINIFIED)]).stacks
    assert not alone.runs[0].frames[0].is_open and alone.frames[0].has_details


def test_frames_as_sent_stand_beside_original_ones_and_stay_out_of_copies() -> None:
    original = a_frame("pay", context_line="throw e")
    shown = event(an_event(original, raw_stacktrace=a_stack(MINIFIED)))
    assert shown.has_minified_form
    assert [run.frames[0].function for run in shown.stacks[0].minified_runs] == ["e"]
    for copied in (event_text(shown), event_markdown(shown, "")):
        assert "at pay (shop/a.py:1)" in copied and "app.min.js" not in copied
    only_raw = {"exception": {"values": [{"type": "E", "raw_stacktrace": a_stack(MINIFIED)}]}}
    assert not event(only_raw).has_minified_form and event(only_raw).stacks[0].frames


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


@each("shape", [None, 7, "x", [], {}, [None], {"frames": 3}, {"frames": [None, 4, "x", []]}])
def test_a_stack_of_any_shape_is_read(shape: object) -> None:
    assert all(item.function for item in frames(shape))
