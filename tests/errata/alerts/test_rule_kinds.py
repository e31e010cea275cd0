"""Kinds of alert rules: what every file of `errata/alerts/kinds` says of itself."""

import re
from pathlib import Path

import pytest

from errata.alerts.rule import ISSUE_KINDS, KINDS, kind_of
from errata.errors import InvalidParameter
from tests.cases import each

ROOT = Path(__file__).parents[3]
GIVEN = {"threshold": {"over": 1_200, "window_minutes": 60, "scope": "all"}}


def test_every_kind_stands_in_the_documentation() -> None:
    table = (ROOT / "docs" / "alerts.md").read_text().split("## Rules")[1].split("**Filter**")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(KINDS)


def test_every_kind_asks_a_question_that_exists_and_has_words() -> None:
    questions = {path.stem for path in (ROOT / "warehouse_sql" / "queries").rglob("*.sql")}
    for kind in (*ISSUE_KINDS.values(), KINDS["monitor"]):
        condition = kind.checked(GIVEN.get(kind.group, {}))
        assert kind.question(condition) in questions, kind.name
        assert kind.words(condition) and kind.headline(condition, 3, "")
        assert re.fullmatch("#[0-9a-f]{6}", kind.color)


def test_a_group_of_the_form_has_the_same_fields_whatever_the_kind_and_a_place_in_the_style() -> None:
    style = (ROOT / "dashboards" / "static" / "alerts.css").read_text()
    for kind in KINDS.values():
        assert bool(kind.group) or not kind.fields
        for other in KINDS.values():
            assert kind.group != other.group or kind.fields == other.fields
        if kind.group:
            assert f'data-group="{kind.group}"' in style, kind.name


def test_conditions_of_another_kind_are_refused() -> None:
    for kind in KINDS.values():
        with pytest.raises(InvalidParameter):
            kind.checked({"unknown": 1})
    with pytest.raises(InvalidParameter, match=", ".join(KINDS)):
        kind_of("pager")


@each("value", [["all"], {"all": 1}, None, 1.5])
def test_a_field_of_another_type_is_refused(value: object) -> None:
    for kind in KINDS.values():
        for field in kind.fields:
            with pytest.raises(InvalidParameter, match=field.name):
                kind.checked({**GIVEN.get(kind.group, {}), field.name: value})


def test_a_rule_of_monitors_says_of_which_and_what_happened() -> None:
    kind = KINDS["monitor"]
    one = kind.checked({"monitor_slug": "nightly", "fires_on": "failing"})
    assert kind.words(one) == "monitor nightly fails, and when it recovers"
    assert kind.words(kind.checked({})) == "a monitor fails or misses a run, and when it recovers"
    assert kind.headline(one, 1, "missed") == "Monitor missed a run"
    assert (kind.page("nightly"), kind.page("")) == ("monitors/nightly", "monitors")


def test_a_threshold_says_its_window_as_people_do() -> None:
    words = KINDS["users"].words({"over": 1_200, "window_minutes": 60, "scope": "issue"})
    assert words == "an issue has more than 1,200 users in an hour"
    condition = {"over": 5, "window_minutes": 360, "scope": "all"}
    assert KINDS["events"].words(condition) == "all issues combined have more than 5 events in 6 hours"
    assert KINDS["events"].headline(condition, 9, "") == "More than 5 events in 6 hours"
