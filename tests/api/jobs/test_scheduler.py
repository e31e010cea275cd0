import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from api.jobs import Duty, Turn, Watch
from api.jobs.lag import lateness
from errata.errors import RateLimited
from errata.state import Store
from errata.state.database import utc_now


@contextmanager
def watching(store: Store, *duties: Duty) -> Iterator[Watch]:
    watch = Watch(store, duties)
    watch.start()
    try:
        yield watch
    finally:
        watch.stop()


def counted(times: int) -> tuple[threading.Event, Duty]:
    """A duty, and what is set once it has run so many times."""
    done = threading.Event()
    left = iter(range(times - 1))

    def run(_turn: Turn) -> None:
        if next(left, None) is None:
            done.set()

    return done, Duty("counted", run, every_seconds=0.01)


def test_a_duty_runs_again_and_again(store: Store) -> None:
    done, duty = counted(3)
    with watching(store, duty):
        assert done.wait(10)
    [state] = store.jobs.states()
    assert state.run_count >= 2 and state.failure_count == 0


@pytest.mark.parametrize("failing", [RateLimited(1), ZeroDivisionError()], ids=["foreseen", "unforeseen"])
def test_a_failing_duty_is_counted_and_stops_neither_itself_nor_others(
    store: Store, failing: Exception
) -> None:
    failed_twice = threading.Event()
    failures = iter((None, failed_twice))

    def fail(_turn: Turn) -> None:
        if seen := next(failures, None):
            seen.set()
        raise failing

    done, duty = counted(3)
    with watching(store, Duty("failing", fail, every_seconds=0.01), duty):
        assert failed_twice.wait(10) and done.wait(10)
    counts = {state.name: state for state in store.jobs.states()}
    assert counts["failing"].failure_count >= 2 and counts["failing"].run_count == 0
    assert counts["failing"].failure in ("rate_limited", "ZeroDivisionError")


def test_a_hanging_duty_holds_up_itself_alone(store: Store) -> None:
    release = threading.Event()

    def hang(_turn: Turn) -> None:
        release.wait(20)

    done, duty = counted(3)
    with watching(store, Duty("hanging", hang, 0.01), duty):
        assert done.wait(10)
        release.set()


def test_of_two_nodes_one_runs_a_duty_and_the_other_takes_it_over_at_its_stop(store: Store) -> None:
    runs: list[str] = []
    changed = threading.Condition()

    def node(name: str) -> Watch:
        def run(_turn: Turn) -> None:
            with changed:
                runs.append(name)
                changed.notify_all()

        return Watch(store, [Duty("shared", run, every_seconds=0.01)])

    def ran(name: str, times: int) -> bool:
        with changed:
            return changed.wait_for(lambda: runs.count(name) >= times, 10)

    first, second = node("first"), node("second")
    first.start()
    assert ran("first", 2)
    second.start()
    assert ran("first", 6)
    assert "second" not in runs
    first.stop()
    assert ran("second", 2)
    second.stop()


def test_a_woken_duty_does_not_wait_for_its_time(store: Store) -> None:
    ran = threading.Semaphore(0)
    with watching(store, Duty("slow", lambda _turn: ran.release(), every_seconds=3600)) as watch:
        assert ran.acquire(timeout=10)
        watch.wake("slow")
        assert ran.acquire(timeout=10)
        watch.wake("nobody")


def test_long_work_ends_when_the_node_stops(store: Store) -> None:
    begun = threading.Event()
    ended: list[bool] = []

    def run(turn: Turn) -> None:
        begun.set()
        while turn.goes_on():
            pass
        ended.append(True)

    watch = Watch(store, [Duty("long", run, every_seconds=3600)])
    watch.start()
    assert begun.wait(10)
    watch.stop()
    assert ended


def test_a_duty_that_has_not_run_for_long_is_late(store: Store) -> None:
    duty = Duty("alerts", lambda _turn: None, every_seconds=30)
    assert lateness([duty], store.jobs.states(), utc_now())[0].is_failing
    store.jobs.hold("alerts", "node", 60)
    store.jobs.note_run("alerts", 5)
    now = utc_now()
    [fresh] = lateness([duty], store.jobs.states(), now)
    assert (fresh.late_seconds, fresh.is_failing, fresh.run_count) == (0, False, 1)
    [late] = lateness([duty], store.jobs.states(), now + timedelta(minutes=10))
    assert late.is_failing and 560 < late.late_seconds <= 570
    store.jobs.note_run("alerts", 5, "warehouse_unavailable")
    assert lateness([duty], store.jobs.states(), now)[0].is_failing
