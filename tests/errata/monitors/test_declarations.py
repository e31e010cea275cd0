"""Declared configurations: the same as if a check-in had sent them at the time of their declaration."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from errata.monitors.config import MonitorConfig
from errata.monitors.declaration import Declaration
from errata.monitors.history import History, MonitorState, history_of
from errata.monitors.run import Run, RunState
from errata.monitors.runs import StoredStatus, sent_runs, with_declarations
from errata.monitors.schedule import Crontab, Interval, Schedule, Unit
from tests.errata.monitors.test_history import BEGUN, ERROR, HOURLY, NOON, OK, at, config, run, states, status

HEARTBEAT = UUID(int=999_999)
SCHEDULES = st.one_of(
    st.sampled_from(["*/10 * * * *", "0 * * * *", "30 2 * * *", "7 */3 * * *"]).flatmap(
        lambda text: st.sampled_from(["UTC", "Europe/Berlin"]).map(lambda zone: Crontab(text, zone))
    ),
    st.tuples(st.integers(1, 90), st.sampled_from([Unit.MINUTE, Unit.HOUR])).map(
        lambda chosen: Interval(*chosen)
    ),
)
CONFIGS = st.builds(
    lambda schedule, **values: MonitorConfig(schedule, schedule.zone, **values),
    SCHEDULES,
    margin_minutes=st.integers(1, 20),
    runtime_minutes=st.integers(1, 60),
    failure_threshold=st.integers(1, 3),
    recovery_threshold=st.integers(1, 3),
)
# Seconds, so that no two moments are one.
MOMENTS = st.integers(-48 * 3600, -1).map(lambda second: NOON + timedelta(seconds=second))
STATUSES = st.builds(
    lambda number, name, moment, sent, with_id: StoredStatus(
        UUID(int=number if with_id else 0), name, moment, None, "web-1", "", sent.text if sent else ""
    ),
    st.integers(1, 6),
    st.sampled_from([BEGUN, OK, ERROR]),
    MOMENTS,
    st.none() | CONFIGS,
    st.booleans(),
)


def history(
    statuses: Sequence[StoredStatus],
    declarations: Sequence[Declaration],
    now: datetime,
    *,
    is_whole: bool = True,
    through: datetime | None = None,
    away: Sequence[tuple[datetime, datetime]] = (),
) -> History:
    told = with_declarations(sent_runs(statuses), declarations, now, is_whole=is_whole)
    return history_of(told, lambda hosts: through or now, now, away, is_whole=is_whole)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(STATUSES, max_size=12, unique_by=lambda one: one.occurred_at),
    CONFIGS,
    MOMENTS,
    st.lists(st.tuples(MOMENTS, MOMENTS).map(lambda span: (min(span), max(span))), max_size=2),
    MOMENTS,
)
def test_a_declaration_is_as_a_check_in_that_sent_it_then(
    statuses: list[StoredStatus],
    declared: MonitorConfig,
    since: datetime,
    away: list[tuple[datetime, datetime]],
    through: datetime,
) -> None:
    """Whose own run is left out, and after which no run sent another."""
    assume(since not in {one.occurred_at for one in statuses})
    runs = sent_runs(statuses)
    later = {one for each in runs if each.begun_at > since for one in each.statuses}
    as_sent = [replace(one, config="") if one in later else one for one in statuses]
    host = "web-1" if len(later) < len(statuses) else ""
    sent_then = StoredStatus(HEARTBEAT, OK, since, None, host, "", declared.text)
    expected = history([*as_sent, sent_then], [], NOON, through=through, away=away)
    found = history(statuses, [Declaration(declared, since)], NOON, through=through, away=away)
    assert list(found.runs) == [one for one in expected.runs if one.at != since or one.ended_at != since]
    assert found.next_expected_at == expected.next_expected_at
    assert found.thresholds == expected.thresholds


@settings(max_examples=100, deadline=None)
@given(
    st.lists(STATUSES, max_size=12, unique_by=lambda one: one.occurred_at),
    CONFIGS,
    MOMENTS,
    MOMENTS,
)
def test_before_a_declaration_nothing_changes_and_after_its_end_what_was_sent_holds(
    statuses: list[StoredStatus], declared: MonitorConfig, one: datetime, other: datetime
) -> None:
    since, until = min(one, other), max(one, other)
    without = history(statuses, [], NOON)
    found = history(statuses, [Declaration(declared, since, until)], NOON)

    def before(runs: Sequence[Run]) -> list[Run]:
        """Judged before it: of runs whose margin had passed, or that had ended."""
        return [each for each in runs if each.noted_at < since and each.at < since]

    assert before(found.runs) == before(without.runs)
    assert found.thresholds == without.thresholds

    def begun(runs: Sequence[Run]) -> list[datetime]:
        return [each.at for each in runs if each.ended_at or each.state is RunState.IN_PROGRESS]

    assert [each for each in begun(found.runs) if each >= until] == [
        each for each in begun(without.runs) if each >= until
    ]


def test_a_job_that_never_ran_is_missed_from_its_declaration_on() -> None:
    declared = [Declaration(config(), at(0.5))]
    assert states(history([], declared, at(1))) == []
    waiting = history([], declared, at(1))
    assert (waiting.state, waiting.next_expected_at) == (MonitorState.WAITING, at(1))
    found = history([], declared, at(2.5))
    assert [(one.at, one.state) for one in found.runs] == [
        (at(1), RunState.MISSED),
        (at(2), RunState.MISSED),
    ]
    assert (found.state, found.failing_since) == (MonitorState.FAILING, at(1))
    assert found.turns()[0].at == at(1 + 5 / 60) and found.turns()[0].is_new


def test_a_job_that_never_ran_names_no_host_so_the_absence_of_the_service_hides_its_runs() -> None:
    found = history([], [Declaration(config(), at(0.5))], at(2.5), away=[(at(0.9), at(1.02))])
    assert states(found) == ["service_away", "missed"]


def test_a_declaration_waits_for_the_host_of_the_latest_run() -> None:
    declared = [Declaration(config(), at(0.5))]
    silent = history([status(1, OK, 0.01)], declared, at(2.5), through=at(1.5))
    assert states(silent) == ["ok", "missed", "unknown"]


def test_what_is_sent_later_does_not_take_the_place_of_a_declaration() -> None:
    often = config(Crontab("*/15 * * * *"), runtime_minutes=1)
    found = history([*run(1, 1.01, sent=often, minutes=2)], [Declaration(config(), at(0.5))], at(2.04))
    assert states(found) == ["ok"]
    assert found.next_expected_at == at(2)


def test_a_change_of_a_declaration_judges_earlier_runs_as_before() -> None:
    quarterly = config(Crontab("*/15 * * * *"))
    declared = [Declaration(quarterly, at(0.1), at(0.9)), Declaration(config(), at(0.9))]
    assert [one.at for one in history([], declared, at(2.5)).runs] == [
        *(at(0.25), at(0.5), at(0.75)),
        *(at(1), at(2)),
    ]


def test_after_a_declaration_ends_a_job_that_sent_no_schedule_is_expected_no_more() -> None:
    ended = [Declaration(config(), at(0.5), at(2.5))]
    found = history([status(1, OK, 0.01)], ended, at(40))
    assert [one.at for one in found.runs] == [at(0.01), at(1), at(2)]
    assert found.next_expected_at is None


def test_a_declared_monitor_never_becomes_inactive() -> None:
    daily: Schedule = Interval(1, Unit.DAY)
    sent = [status(1, OK, 0, config(daily))]
    days = 24 * 31
    assert history(sent, [], at(days)).state is MonitorState.INACTIVE
    assert history(sent, [Declaration(config(daily), at(1))], at(days)).state is MonitorState.FAILING
    ended = [Declaration(config(daily), at(1), at(2))]
    assert history(sent, ended, at(days)).state is MonitorState.INACTIVE


def test_of_a_history_that_is_not_whole_a_declaration_before_it_only_sets_the_schedule() -> None:
    declared = [Declaration(config(HOURLY), at(0.5))]
    sent = [status(1, OK, 100.01), status(2, OK, 101.01)]
    found = history(sent, declared, at(102.5), is_whole=False)
    assert states(found) == ["ok", "ok", "missed"]
