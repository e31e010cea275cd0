"""The states of runs and monitors, from statuses in whatever order they came."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest

from errata.monitors.config import MonitorConfig
from errata.monitors.history import History, KnownThrough, MonitorState, history_of
from errata.monitors.run import RunState
from errata.monitors.runs import StoredStatus, sent_runs
from errata.monitors.schedule import Crontab, Interval, Schedule, Unit
from errata.nil import NIL

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOURLY = Crontab("0 * * * *")
OK, ERROR, BEGUN = "ok", "error", "in_progress"


def config(schedule: Schedule = HOURLY, **values: Any) -> MonitorConfig:
    return MonitorConfig(schedule, margin_minutes=5, **values)


def at(hour: float) -> datetime:
    return NOON + timedelta(hours=hour)


def status(
    number: int, name: str, hour: float, sent: MonitorConfig | None = None, host: str = "web-1"
) -> StoredStatus:
    return StoredStatus(
        UUID(int=number), name, at(hour), None, host, "", sent.text if sent is not None else ""
    )


def run(
    number: int, hour: float, end: str = OK, sent: MonitorConfig | None = None, minutes: float = 1
) -> list[StoredStatus]:
    return [
        status(number, BEGUN, hour, sent or config()),
        status(number, end, hour + minutes / 60),
    ]


def history(statuses: Sequence[StoredStatus], now: float, through: float | None = None) -> History:
    known = at(now if through is None else through)
    return history_of(sent_runs(statuses), lambda hosts: known, at(now))


def states(found: History) -> list[str]:
    return [one.state.value for one in found.runs]


def test_a_run_that_does_not_begin_until_its_margin_has_passed_is_missed() -> None:
    sent = [*run(1, 0.01), *run(2, 1.01)]
    assert states(history(sent, 2 + 4 / 60)) == ["ok", "ok"]
    found = history(sent, 2 + 6 / 60)
    assert states(found) == ["ok", "ok", "missed"]
    assert found.runs[-1].at == at(2) and found.runs[-1].noted_at == at(2 + 5 / 60)
    assert (found.state, found.failing_since, found.turns()[-1].at) == (
        MonitorState.FAILING,
        at(2),
        at(2 + 5 / 60),
    )
    assert found.next_expected_at == at(3)


def test_while_the_host_may_still_tell_of_a_run_it_is_unknown_and_not_missed() -> None:
    sent = [*run(1, 0.01), *run(2, 1.01)]
    silent = history(sent, 4.5, through=2.01)
    assert states(silent) == ["ok", "ok", "unknown", "unknown", "unknown"]
    assert silent.state is MonitorState.UNKNOWN and silent.failing_since is None
    # It has delivered past 2 o'clock, and not yet past 3.
    partly = history(sent, 4.5, through=3.01)
    assert states(partly) == ["ok", "ok", "missed", "unknown", "unknown"]
    caught_up = history([*sent, *run(3, 2.01), *run(4, 3.01)], 4.5, through=4.5)
    assert states(caught_up) == ["ok", "ok", "ok", "ok", "missed"]


def test_a_gap_before_a_run_of_another_host_is_unknown_while_the_first_host_is_silent() -> None:
    sent = [
        status(1, OK, 0.01, config(), host="web-1"),
        status(2, OK, 3.01, config(), host="web-2"),
    ]
    delivered = {"web-1": at(1.5), "web-2": at(3.2)}
    known: KnownThrough = lambda hosts: delivered[hosts[-1]]  # noqa: E731
    found = history_of(sent_runs(sent), known, at(3.2))
    assert states(found) == ["ok", "missed", "unknown", "ok"]


def test_what_was_sent_without_a_shipper_while_the_service_was_away_is_not_missed() -> None:
    sent = [
        status(1, OK, 0.01, config(), host=""),
        status(2, OK, 2.01, host=""),
        status(3, BEGUN, 3.01, host=""),
    ]
    away = [(at(0.9), at(1.02)), (at(3.2), at(3.3))]
    found = history_of(sent_runs(sent), lambda hosts: at(5.2), at(5.2), away)
    assert states(found) == ["ok", "service_away", "ok", "service_away", "missed", "missed"]
    shipped = [status(number, OK, number + 0.01, config()) for number in (1, 3)]
    away_at_two = [(at(1.9), at(2.1))]
    assert states(history_of(sent_runs(shipped), lambda hosts: at(3.5), at(3.5), away_at_two))[1] == "missed"


def test_a_run_without_an_end_is_running_then_timed_out_once_its_host_has_delivered_past_that() -> None:
    sent = [status(1, BEGUN, 0, config(runtime_minutes=30))]
    assert states(history(sent, 0.4)) == ["in_progress"]
    assert states(history(sent, 0.6)) == ["timeout"]
    assert states(history(sent, 0.6, through=0.3)) == ["in_progress"]
    late = [*sent, status(1, OK, 0.6)]
    assert states(history(late, 0.7)) == ["timeout"]
    failed = [*sent, status(1, ERROR, 0.6)]
    assert states(history(failed, 0.7)) == ["error"]


def test_the_order_in_which_statuses_come_and_copies_of_them_change_nothing() -> None:
    sent = [
        *run(1, 0.01),
        *run(2, 1.01, ERROR),
        *run(3, 2.01, minutes=45),
        status(0, BEGUN, 3.01),
        status(0, OK, 3.1),
        *run(5, 6.01),
    ]
    expected = history(sent, 6.5)
    assert states(expected) == ["ok", "error", "timeout", "ok", "missed", "missed", "ok"]
    random = Random(7)
    for _ in range(20):
        assert history(random.sample(sent, len(sent)), 6.5) == expected


def test_a_status_without_an_id_ends_the_latest_run_in_progress() -> None:
    sent = [
        status(1, BEGUN, 0, config()),
        status(2, BEGUN, 0.1),
        status(0, OK, 0.2),
        status(0, ERROR, 0.3),
        # Nothing is in progress any more: a run of its own.
        status(0, OK, 0.5),
    ]
    found = history(sent, 0.6)
    assert states(found) == ["error", "ok", "ok"]
    assert [one.at for one in found.runs] == [at(0), at(0.1), at(0.5)]
    assert found.runs[1].duration_ms == pytest.approx(6 * 60_000)


def test_a_monitor_fails_and_recovers_by_its_thresholds() -> None:
    sent = config(failure_threshold=2, recovery_threshold=2)
    ends = (OK, ERROR, OK, ERROR, ERROR, OK)
    statuses = [one for hour, end in enumerate(ends) for one in run(hour + 1, hour, end, sent)]

    def after(count: int) -> History:
        return history(statuses[: 2 * count], count - 0.5)

    assert [after(count).state.value for count in range(1, 7)] == ["ok"] * 4 + ["failing"] * 2
    assert after(6).failing_since == at(3)
    assert after(6).turns()[-1].at == at(4 + 1 / 60)
    recovered = [*statuses, *run(9, 6, OK, sent)]
    assert history(recovered, 6.5).state is MonitorState.OK


def test_unknown_and_running_ones_neither_count_as_failed_nor_end_a_row_of_failed_ones() -> None:
    sent = config(failure_threshold=2)
    statuses = [*run(1, 0, ERROR, sent), status(2, BEGUN, 1, sent), *run(3, 2, ERROR, sent)]
    assert history(statuses, 2.2, through=1.1).state is MonitorState.FAILING
    assert history(statuses[:3], 1.2).state is MonitorState.OK


def test_what_was_expected_follows_the_schedule_that_was_sent_then() -> None:
    changed = config(Crontab("*/15 * * * *"))
    sent = [*run(1, 0.01), *run(2, 1.01), *run(3, 2.01, sent=changed)]
    assert states(history(sent, 2.2)) == ["ok", "ok", "ok"]
    assert states(history(sent, 2.4)) == ["ok", "ok", "ok", "missed"]


def test_a_run_a_moment_early_is_the_expected_one() -> None:
    sent = [*run(1, 0), *run(2, 1 - 3 / 3600), *run(3, 2 - 8 / 3600)]
    found = history(sent, 2.5)
    assert states(found) == ["ok", "ok", "ok"] and found.next_expected_at == at(3)


def test_of_very_many_missing_runs_the_first_are_told_and_the_next_is_exact() -> None:
    sent = [status(1, OK, 0, config(Interval(1, Unit.MINUTE)))]
    found = history(sent, 24 * 20)
    assert len(found.runs) == 101 and found.state is MonitorState.FAILING
    assert found.next_expected_at == at(24 * 20 - 5 / 60)


def test_a_monitor_of_which_nothing_came_for_a_month_is_inactive_and_expected_no_more() -> None:
    daily = [status(1, OK, 0, config(Interval(1, Unit.DAY)))]
    assert history(daily, 24 * 29).state is MonitorState.FAILING
    found = history(daily, 24 * 31)
    assert (found.state, found.failing_since, found.next_expected_at) == (MonitorState.INACTIVE, None, None)
    monthly = [status(1, OK, 0, config(Interval(1, Unit.MONTH)))]
    assert history(monthly, 24 * 32).state is MonitorState.FAILING


def test_without_a_schedule_nothing_is_expected() -> None:
    found = history([status(1, BEGUN, 0), status(1, OK, 1)], 500)
    assert states(found) == ["ok"] and found.next_expected_at is None
    assert history([status(1, BEGUN, 0)], 1).state is MonitorState.WAITING
    assert history_of(sent_runs([]), lambda hosts: at(0), at(0)).runs == []


def test_ids_that_are_nil_are_no_run() -> None:
    assert status(0, OK, 0).check_in_id == NIL
    assert [one.state for one in history([status(0, ERROR, 0)], 1).runs] == [RunState.ERROR]
