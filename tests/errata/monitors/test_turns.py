"""What is told of a monitor that fails and recovers, from the runs known at each moment."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from errata.monitors.run import Run, RunState
from errata.monitors.turns import LastTold, Thresholds, Turn, turns_of, untold
from tests.cases import each

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
STATES = {
    ".": RunState.OK,
    "E": RunState.ERROR,
    "T": RunState.TIMEOUT,
    "M": RunState.MISSED,
    "?": RunState.UNKNOWN,
    "-": RunState.IN_PROGRESS,
}


def at(hour: float) -> datetime:
    return NOON + timedelta(hours=hour)


def runs(states: str, first: int = 0) -> list[Run]:
    """One an hour, each noted five minutes later."""
    return [
        Run(at(first + number), STATES[letter], at(first + number + 1 / 12))
        for number, letter in enumerate(states)
    ]


def turns(states: str, failure: int = 1, recovery: int = 1, *, missed: bool = False) -> list[tuple[int, str]]:
    """The hour of the run and the outcome."""
    found = turns_of(runs(states), Thresholds(failure, recovery, missed))
    return [((turn.run.at - NOON) // timedelta(hours=1), turn.outcome.value) for turn in found]


def told(
    known: Sequence[Run], last: LastTold | None = None, since: float = -1, *, is_whole: bool = True
) -> list[Turn]:
    found = list(turns_of(known, Thresholds(), is_whole=is_whole))
    return untold(found, known, last, at(since), at(-100), at(len(known)))


@each(
    "states, thresholds, expected",
    [
        ("..E.", (1, 1), [(2, "failing"), (3, "recovered")]),
        (".M", (1, 1), [(1, "missed")]),
        (".EEE.E", (1, 1), [(1, "failing"), (4, "recovered"), (5, "failing")]),
        (".E.EE..", (2, 2), [(4, "failing"), (6, "recovered")]),
        (".EM", (2, 1), [(2, "failing")]),
        ("E?E", (2, 1), [(2, "failing")]),
        ("E-?.", (1, 1), [(0, "failing"), (3, "recovered")]),
        ("?-?", (1, 1), []),
        ("T.", (1, 1), [(0, "failing"), (1, "recovered")]),
    ],
)
def test_turns_follow_the_thresholds(
    states: str, thresholds: tuple[int, int], expected: list[tuple[int, str]]
) -> None:
    assert turns(states, *thresholds) == expected


def test_a_missed_run_is_enough_where_it_is_wanted() -> None:
    assert turns("..M..", failure=3) == []
    assert turns("..MMM.", failure=3, missed=True) == [(2, "missed"), (5, "recovered")]
    assert turns(".EM.", failure=3, missed=True) == [(2, "failing"), (3, "recovered")]


def test_a_run_that_times_out_after_later_ones_keeps_the_order() -> None:
    slow = [Run(at(0), RunState.TIMEOUT, at(3)), Run(at(1), RunState.OK, at(1.1))]
    failing, recovered = turns_of(slow, Thresholds())
    assert failing.at == at(3) and recovered.at > failing.at


def test_an_episode_is_told_once() -> None:
    known = runs(".EE")
    (first,) = told(known)
    assert (first.outcome, first.at, first.since) == ("failing", at(1 + 1 / 12), at(1))
    last = LastTold(first.at, first.outcome)
    assert told(runs(".EEEEE"), last) == []
    assert [turn.outcome for turn in told(runs(".EEEEE."), last)] == ["recovered"]


def test_what_was_so_before_the_rule_is_not_told_but_its_end_is() -> None:
    assert told(runs(".EE"), since=2) == []
    assert [turn.outcome for turn in told(runs(".EE."), since=2)] == ["recovered"]
    # Of a history whose beginning is not known, nobody can say when it began to fail.
    assert told(runs("EEE"), is_whole=False) == []
    assert [turn.outcome for turn in told(runs("EEE."), is_whole=False)] == ["recovered"]


def test_a_late_check_in_takes_back_what_was_told() -> None:
    (missed,) = told(runs("..M"))
    (recovered,) = told(runs("..."), LastTold(missed.at, missed.outcome))
    assert (recovered.outcome, recovered.at) == ("recovered", at(3))
    assert told(runs("..."), LastTold(recovered.at, recovered.outcome)) == []
    # One that tells of an earlier error, after the last told recovery.
    (again,) = told(runs(".EEE"), LastTold(at(3.9), "recovered"))
    assert (again.outcome, again.at) == ("failing", at(4))


def test_what_is_long_over_is_not_told() -> None:
    found = list(turns_of(runs("E.E.E"), Thresholds()))
    kept = untold(found, runs("E.E.E"), None, at(-1), at(3), at(5))
    assert [(turn.run.at, turn.outcome) for turn in kept] == [
        (at(2), "failing"),
        (at(3), "recovered"),
        (at(4), "failing"),
    ]
    assert [turn.run.at for turn in untold(found, runs("E.E.E"), None, at(-1), at(50), at(60))] == [at(4)]


def test_whatever_comes_late_the_last_that_was_told_is_the_state() -> None:
    chance = Random(7)
    for _ in range(200):
        states, last, said = "", None, list[bool]()
        for hour in range(30):
            states += chance.choice("..EM?-")
            if chance.random() < 0.2:
                place = chance.randrange(len(states))
                states = states[:place] + chance.choice(".EM?") + states[place + 1 :]
            known = runs(states)
            found = list(turns_of(known, Thresholds()))
            for turn in untold(found, known, last, at(-1), at(-100), at(hour + 1)):
                last = LastTold(turn.at, turn.outcome)
                said.append(turn.is_failing)
            assert bool(said and said[-1]) == (found[-1].is_failing if found else False)
        assert all(one != following for one, following in pairwise(said))
