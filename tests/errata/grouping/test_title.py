import json

from errata.grouping import variant_of
from tests.cases import each
from tests.errata.grouping.labelled import DATA, Event

ODD = [json.loads(line) for line in (DATA / "odd_events.jsonl").read_text().splitlines()]


@each("odd", ODD, ids=[odd["name"] for odd in ODD])
def test_an_odd_event_has_the_title_and_culprit_a_person_would_give_it(odd: Event) -> None:
    variant = variant_of(odd["event"])

    assert variant.title == odd["title"]
    assert variant.culprit == odd["culprit"]


def test_title_and_culprit_decide_nothing() -> None:
    raised = {"type": "ExecutionException", "value": "java.lang.Error: x"}
    cause = {"type": "Error", "value": "x"}
    variant = variant_of({"platform": "java", "exception": {"values": [cause, raised]}})

    assert (variant.title, variant.type, variant.value) == (
        "Error: x",
        "ExecutionException",
        "java.lang.Error: x",
    )
