from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from errata.budgets.history import History
from errata.budgets.reason import Reason
from errata.budgets.state import Evaluation, State, crossings, doubt, outcome, states_of
from tests.cases import each

LETTERS = {"k": State.KEPT, "b": State.BREACHED, "u": State.UNKNOWN}
START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEXTS = st.text("kbu", max_size=60)


def outcomes(text: str) -> list[State]:
    return [LETTERS[letter] for letter in text]


def evaluated(text: str) -> list[Evaluation]:
    return [
        Evaluation(START + number * HOUR, 100, 100, 1.0, one, state)
        for number, (one, state) in enumerate(zip(outcomes(text), states_of(outcomes(text)), strict=True))
    ]


@each(
    ("given_", "expected"),
    [
        ("kkk", "uuk"),
        ("kkkbbb", "uukkkb"),
        ("kkkbkbkbkb", "uukkkkkkkk"),
        ("kkkbbkb", "uukkkkb"),
        ("bbbkkbkk", "uubbbbkk"),
        ("kkkuuu", "uukkku"),
        ("kkkubbb", "uukkkkb"),
    ],
)
def test_a_state_changes_when_three_of_the_latest_four_windows_say_so(given_: str, expected: str) -> None:
    assert states_of(outcomes(given_)) == outcomes(expected)


@given(TEXTS)
def test_a_state_is_what_three_of_four_agreed_on_last(text: str) -> None:
    for position, state in enumerate(states_of(outcomes(text))):
        agreed = [
            letter
            for end in range(1, position + 2)
            for letter in "kbu"
            if text[max(0, end - 4) : end].count(letter) >= 3
        ]
        assert state is (LETTERS[agreed[-1]] if agreed else State.UNKNOWN)


@given(TEXTS)
def test_crossings_alternate_and_begin_with_a_breach(text: str) -> None:
    told = [each.state for each in crossings(evaluated(text), START - HOUR)]
    assert told == [State.BREACHED if number % 2 == 0 else State.KEPT for number in range(len(told))]


@given(TEXTS, st.integers(0, 60))
def test_looking_in_two_parts_tells_the_same_as_looking_once(text: str, cut: int) -> None:
    all_of_it = evaluated(text)
    whole = crossings(all_of_it, START - HOUR)
    first = crossings(all_of_it[:cut], START - HOUR)
    last = first[-1].state if first else State.KEPT
    middle = all_of_it[cut - 1].at if 0 < cut <= len(all_of_it) else START - HOUR
    assert cut > len(all_of_it) or first + crossings(all_of_it, middle, last) == whole


def test_what_is_unknown_between_two_breaches_is_not_told() -> None:
    assert [each.at for each in crossings(evaluated("kkkbbbuuuubbbb"), START - HOUR)] == [START + 5 * HOUR]


def test_what_was_breached_before_is_told_only_when_it_is_kept_again() -> None:
    found = crossings(evaluated("bbbbkkkk"), START + 3 * HOUR)
    assert [(each.at, each.state) for each in found] == [(START + 6 * HOUR, State.KEPT)]


def test_a_value_on_the_threshold_is_kept_and_few_samples_tell_nothing() -> None:
    assert outcome(2500.0, 50, 2500.0, 50, 2000.0) is State.KEPT
    assert outcome(2900.0, 50, 2500.0, 50, 2500.1) is State.BREACHED
    assert outcome(9000.0, 49, 2500.0, 50, 8000.0) is State.UNKNOWN
    assert outcome(None, 0, 2500.0, 1, None) is State.UNKNOWN


def test_a_value_that_unended_loads_could_lift_over_the_threshold_is_unknown() -> None:
    assert outcome(180.0, 50, 200.0, 10, None, at_most=201.0) is State.UNKNOWN
    assert outcome(180.0, 50, 200.0, 10, None, at_most=200.0) is State.KEPT


def test_a_value_over_the_threshold_by_chance_is_unknown_and_says_why() -> None:
    assert outcome(2900.0, 50, 2500.0, 50, 2500.0) is State.UNKNOWN
    assert outcome(2900.0, 50, 2500.0, 50, None) is State.UNKNOWN
    assert doubt(2900.0, 60, 50, 2500.0, 50) is Reason.WITHIN_CHANCE
    assert doubt(2900.0, 60, 49, 2500.0, 50) is Reason.FEW_USERS
    assert doubt(2900.0, 49, 49, 2500.0, 50) is Reason.FEW_SAMPLES
    assert doubt(2100.0, 60, 50, 2500.0, 50) is Reason.UNENDED_LOADS


@each(("told", "missing"), [("k", 2), ("uk", 2), ("kk", 1), ("kuk", 1), ("bk", 2), ("kbk", 1)])
def test_a_new_budget_tells_how_many_windows_it_waits_for(told: str, missing: int) -> None:
    history = History(evaluated(told), datetime.now(UTC))
    assert (history.reason, history.missing_count) == (Reason.FEW_WINDOWS, missing)
    assert History(evaluated(told + told[-1] * missing), datetime.now(UTC)).reason is Reason.NONE
    doubtful = replace(evaluated("u")[0], doubt=Reason.FEW_USERS)
    assert History([*evaluated(told), doubtful], datetime.now(UTC)).reason is Reason.FEW_USERS


def test_a_history_tells_how_often_and_since_when() -> None:
    history = History(evaluated("kkkkbbbu"), START)
    assert (history.state, history.since) == (State.BREACHED, START + 6 * HOUR)
    assert (history.kept_ratio, history.known_count) == (4 / 7, 7)
    always = History(evaluated("kkkkkk")[2:], START)
    assert (always.state, always.since) == (State.KEPT, None)
    assert (History([], None).state, History([], None).kept_ratio) == (State.UNKNOWN, None)
