"""How urgent an issue is: each fact has its points, and a person's choice wins."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from errata.workflow.priority import Facts, Level, priority
from tests.cases import each

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CALM = Facts(
    level="error",
    first_seen=NOW - timedelta(days=30),
    day_count=3,
    week_count=21,
    user_count=1,
    unhandled_count=0,
    sampled_count=24,
)


def reasons(facts: Facts) -> dict[str, int]:
    return {reason.words: reason.points for reason in priority(facts, "", NOW).reasons}


@each(
    ("change", "points"),
    [
        ({}, 2),
        ({"level": ""}, 2),
        ({"level": "fatal"}, 3),
        ({"level": "warning"}, 0),
        ({"level": "info"}, -2),
        ({"unhandled_count": 12}, 2),
        ({"unhandled_count": 13}, 3),
        ({"user_count": 9}, 2),
        ({"user_count": 10}, 3),
        ({"user_count": 99}, 3),
        ({"user_count": 100}, 4),
        ({"first_seen": NOW - timedelta(hours=24)}, 2),
        ({"first_seen": NOW - timedelta(hours=23)}, 3),
        ({"day_count": 9, "week_count": 0}, 2),
        ({"day_count": 10, "week_count": 34}, 3),
        ({"day_count": 10, "week_count": 35}, 2),
        ({"day_count": 0, "week_count": 0}, 1),
    ],
)
def test_every_fact_has_its_points(change: dict[str, object], points: int) -> None:
    assert sum(reasons(replace(CALM, **change)).values()) == points  # type: ignore[arg-type]


def test_a_new_issue_is_not_called_rising_as_well() -> None:
    found = reasons(replace(CALM, first_seen=NOW - timedelta(hours=2), day_count=500, week_count=0))
    assert found == {"level error": 2, "new in the last 24 hours": 1}


@each(
    ("change", "level"),
    [
        ({"level": "warning"}, Level.LOW),
        ({}, Level.LOW),
        ({"level": "fatal"}, Level.MEDIUM),
        ({"user_count": 100}, Level.MEDIUM),
        ({"user_count": 100, "unhandled_count": 24}, Level.HIGH),
    ],
)
def test_points_make_the_level(change: dict[str, object], level: Level) -> None:
    assert priority(replace(CALM, **change), "", NOW).level is level  # type: ignore[arg-type]


def test_a_persons_choice_wins_and_what_would_be_computed_is_still_said() -> None:
    found = priority(replace(CALM, level="fatal"), "low", NOW)
    assert (found.level, found.computed, found.is_chosen) == (Level.LOW, Level.MEDIUM, True)
    assert found.reasons
