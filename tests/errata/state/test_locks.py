"""On SQLite and on PostgreSQL alike."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event

import pytest

from errata.state import Store
from errata.state.errors import StateUnavailable
from tests.errata.state.conftest import SECRET

LARGEST_PROJECT_ID = (1 << 32) - 1


def test_a_second_holder_waits_for_the_first(store: Store, state_url: str) -> None:
    other = Store.open(state_url, SECRET)
    done: list[str] = []
    begun = Event()

    def second() -> None:
        begun.set()
        with other.locks.assignments(7):
            done.append("second")

    with ThreadPoolExecutor() as threads:
        with store.locks.assignments(7):
            waiting = threads.submit(second)
            assert begun.wait(10)
            assert not waiting.done()
            done.append("first")
        waiting.result(20)
    assert done == ["first", "second"]
    other.close()


def test_a_lock_is_released_after_an_error_too(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.locks.assignments(LARGEST_PROJECT_ID):
        raise ZeroDivisionError
    with store.locks.assignments(LARGEST_PROJECT_ID):
        pass


def test_waiting_too_long_ends_with_an_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.state.locks.LONGEST_WAIT_SECONDS", 0.1)
    with store.locks.assignments(7), pytest.raises(StateUnavailable), store.locks.assignments(7):
        pass


def test_waiting_leaves_the_holder_a_connection(store: Store, organization_id: int) -> None:
    """Applying a configuration writes to the store while many wait for the lock."""
    project = store.projects.create(organization_id, "Shop", actor="ada").project
    waiting = 20
    begun = Barrier(waiting + 1)

    def wait_for_it() -> None:
        begun.wait(10)
        with store.locks.assignments(project.id):
            pass

    with ThreadPoolExecutor(waiting) as threads:
        with ExitStack() as held:
            held.enter_context(store.locks.assignments(project.id))
            found = [threads.submit(wait_for_it) for _ in range(waiting)]
            begun.wait(10)
            draft = store.grouping.save_draft(project.id, 4, "", actor="ada")
            store.grouping.activate(organization_id, "shop", project.id, draft.number, actor="ada")
        for each in found:
            each.result(30)
    assert store.grouping.active(project.id).number == draft.number


def test_a_project_does_not_wait_for_another(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.state.locks.LONGEST_WAIT_SECONDS", 0.1)
    with (
        store.locks.assignments(7),
        store.locks.assignments(8),
        pytest.raises(StateUnavailable),
        store.locks.assignments(7),
    ):
        pass
