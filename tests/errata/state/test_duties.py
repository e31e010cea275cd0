from concurrent.futures import ThreadPoolExecutor

from errata.state import Store


def test_one_of_two_nodes_holds_a_duty(store: Store) -> None:
    assert store.hold_duty("alerts", "first", 60)
    assert not store.hold_duty("alerts", "second", 60)
    assert store.hold_duty("alerts", "first", 60)
    assert store.hold_duty("links", "second", 60)


def test_a_duty_is_taken_over_when_its_hold_has_run_out_or_was_given_back(store: Store) -> None:
    store.hold_duty("alerts", "killed", 0)
    assert store.hold_duty("alerts", "second", 60)
    assert not store.hold_duty("alerts", "killed", 60)
    store.leave_duty("alerts", "killed")
    assert not store.hold_duty("alerts", "killed", 60)
    store.leave_duty("alerts", "second")
    assert store.hold_duty("alerts", "third", 60)


def test_of_many_at_once_one_gets_it(store: Store) -> None:
    with ThreadPoolExecutor(8) as nodes:
        for duty in ("new", "new", "other"):
            held = list(
                nodes.map(lambda node, duty=duty: store.hold_duty(duty, f"node {node}", 60), range(8))
            )
            assert sum(held) == 1


def test_runs_and_failures_are_counted_apart(store: Store) -> None:
    store.hold_duty("alerts", "node", 60)
    store.note_duty("alerts", 12)
    ran_at = store.duties()[0].ran_at
    store.note_duty("alerts", 7, "warehouse_unavailable" * 20)
    [state] = store.duties()
    assert (state.run_count, state.failure_count, state.ran_at) == (1, 1, ran_at)
    assert state.failed_at is not None and state.failure.startswith("warehouse_unavailable")
    store.note_duty("alerts", 9)
    [state] = store.duties()
    assert (state.run_count, state.failure, state.took_ms) == (2, "", 9)
