import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from api.jobs import Job, Run, Scheduler
from api.jobs.health import job_health
from errata.errors import RateLimited
from errata.state import Store
from errata.state.database import utc_now


@contextmanager
def scheduling(store: Store, *jobs: Job) -> Iterator[Scheduler]:
    scheduler = Scheduler(store, jobs)
    scheduler.start()
    try:
        yield scheduler
    finally:
        scheduler.stop()


def counted(times: int) -> tuple[threading.Event, Job]:
    """A job, and what is set once it has run so many times."""
    done = threading.Event()
    left = iter(range(times - 1))

    def work(_run: Run) -> None:
        if next(left, None) is None:
            done.set()

    return done, Job("counted", work, every_seconds=0.01)


def test_a_job_runs_again_and_again(store: Store) -> None:
    done, job = counted(3)
    with scheduling(store, job):
        assert done.wait(10)
    [state] = store.jobs.states()
    assert state.run_count >= 2 and state.failure_count == 0


@pytest.mark.parametrize("failing", [RateLimited(1), ZeroDivisionError()], ids=["foreseen", "unforeseen"])
def test_a_failing_job_is_counted_and_stops_neither_itself_nor_others(
    store: Store, failing: Exception
) -> None:
    failed_twice = threading.Event()
    failures = iter((None, failed_twice))

    def fail(_run: Run) -> None:
        if seen := next(failures, None):
            seen.set()
        raise failing

    done, job = counted(3)
    with scheduling(store, Job("failing", fail, every_seconds=0.01), job):
        assert failed_twice.wait(10) and done.wait(10)
    counts = {state.name: state for state in store.jobs.states()}
    assert counts["failing"].failure_count >= 2 and counts["failing"].run_count == 0
    assert counts["failing"].failure in ("rate_limited", "ZeroDivisionError")


def test_a_hanging_job_holds_up_itself_alone(store: Store) -> None:
    release = threading.Event()

    def hang(_run: Run) -> None:
        release.wait(20)

    done, job = counted(3)
    with scheduling(store, Job("hanging", hang, 0.01), job):
        assert done.wait(10)
        release.set()


def test_of_two_nodes_one_runs_a_job_and_the_other_takes_it_over_at_its_stop(store: Store) -> None:
    runs: list[str] = []
    changed = threading.Condition()

    def node(name: str) -> Scheduler:
        def work(_run: Run) -> None:
            with changed:
                runs.append(name)
                changed.notify_all()

        return Scheduler(store, [Job("shared", work, every_seconds=0.01)])

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


def test_a_woken_job_does_not_wait_for_its_time(store: Store) -> None:
    ran = threading.Semaphore(0)
    with scheduling(store, Job("slow", lambda _run: ran.release(), every_seconds=3600)) as scheduler:
        assert ran.acquire(timeout=10)
        scheduler.wake("slow")
        assert ran.acquire(timeout=10)
        scheduler.wake("nobody")


def test_long_work_ends_when_the_node_stops(store: Store) -> None:
    begun = threading.Event()
    ended: list[bool] = []

    def work(run: Run) -> None:
        begun.set()
        while run.goes_on():
            pass
        ended.append(True)

    scheduler = Scheduler(store, [Job("long", work, every_seconds=3600)])
    scheduler.start()
    assert begun.wait(10)
    scheduler.stop()
    assert ended


def test_a_job_that_has_not_run_for_long_is_late(store: Store) -> None:
    job = Job("alerts", lambda _run: None, every_seconds=30)
    assert job_health([job], store.jobs.states(), utc_now())[0].is_failing
    store.jobs.hold("alerts", "node", 60)
    store.jobs.note_run("alerts", 5)
    now = utc_now()
    [fresh] = job_health([job], store.jobs.states(), now)
    assert (fresh.late_seconds, fresh.is_failing, fresh.run_count) == (0, False, 1)
    [late] = job_health([job], store.jobs.states(), now + timedelta(minutes=10))
    assert late.is_failing and 560 < late.late_seconds <= 570
    store.jobs.note_run("alerts", 5, "warehouse_unavailable")
    assert job_health([job], store.jobs.states(), now)[0].is_failing
