from typing import Any

from errata.alerts.evidence import frames
from errata.alerts.wording import counts_words, facts_words, steps_words
from tests.cases import each


def frame(function: str, is_in_app: bool = True, **more: Any) -> dict[str, Any]:
    return {"function": function, "filename": f"{function}.py", "lineno": 7, "in_app": is_in_app, **more}


def exceptions(*stacks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"exception": {"values": [{"stacktrace": {"frames": stack}} for stack in stacks]}}


def test_the_top_frames_of_the_application_come_first_with_their_failing_lines() -> None:
    stack = [frame(name) for name in ("main", "cart", "pay")]
    stack += [frame("charge", context_line="    raise  Refused()"), frame("socket", False)]
    shown = frames(exceptions([frame("cause")], stack))
    assert [each["function"] for each in shown] == ["charge", "pay", "cart"]
    assert shown[0] == {"function": "charge", "place": "charge.py:7", "source": "raise Refused()"}


def test_the_cause_is_shown_where_the_application_is_in_it_alone() -> None:
    [own] = frames(exceptions([frame("own")], [frame("vendor", False)]))
    [top] = frames(exceptions([frame("a", False), frame("b", False)]))
    assert (own["function"], top["function"]) == ("own", "b")


@each(
    "payload",
    [{}, {"exception": 7}, {"exception": [None, {"stacktrace": []}]}, exceptions([{"lineno": {}}])],
)
def test_a_payload_of_any_shape_has_frames_or_none(payload: dict[str, Any]) -> None:
    assert frames(payload) in ([], [{"function": "<anonymous>", "place": "unknown file", "source": ""}])


def test_evidence_in_words() -> None:
    found = {
        **{"level": "error", "environment": "", "release": "shop@2", "event_count": 1_200, "user_count": 1},
        **{"steps": [0, 9, 30], "steps_begin_at": "2026-11-21T22:00:00Z", "step_minutes": 60},
    }
    assert facts_words(found) == "error · shop@2"
    assert counts_words(found) == "1,200 events and 1 user in the last 24 hours"
    assert steps_words(found) == "Events per hour in the last 24 hours: at most 30, at 00:00 UTC"
    assert steps_words({**found, "steps": []}) == "Events per hour in the last 24 hours: none"
