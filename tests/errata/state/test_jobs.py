from concurrent.futures import ThreadPoolExecutor

from errata.state import Store


def test_one_of_two_nodes_holds_a_job(store: Store) -> None:
    assert store.jobs.hold("alerts", "first", 60)
    assert not store.jobs.hold("alerts", "second", 60)
    assert store.jobs.hold("alerts", "first", 60)
    assert store.jobs.hold("links", "second", 60)


def test_a_job_is_taken_over_when_its_hold_has_run_out_or_was_given_back(store: Store) -> None:
    store.jobs.hold("alerts", "killed", 0)
    assert store.jobs.hold("alerts", "second", 60)
    assert not store.jobs.hold("alerts", "killed", 60)
    store.jobs.release("alerts", "killed")
    assert not store.jobs.hold("alerts", "killed", 60)
    store.jobs.release("alerts", "second")
    assert store.jobs.hold("alerts", "third", 60)


def test_of_many_at_once_one_gets_it(store: Store) -> None:
    with ThreadPoolExecutor(8) as nodes:
        for job in ("new", "new", "other"):
            held = list(nodes.map(lambda node, job=job: store.jobs.hold(job, f"node {node}", 60), range(8)))
            assert sum(held) == 1


def test_runs_and_failures_are_counted_apart(store: Store) -> None:
    store.jobs.hold("alerts", "node", 60)
    store.jobs.note_run("alerts", 12)
    ran_at = store.jobs.states()[0].ran_at
    store.jobs.note_run("alerts", 7, "warehouse_unavailable" * 20)
    [state] = store.jobs.states()
    assert (state.run_count, state.failure_count, state.ran_at) == (1, 1, ran_at)
    assert state.failed_at is not None and state.failure.startswith("warehouse_unavailable")
    store.jobs.note_run("alerts", 9)
    [state] = store.jobs.states()
    assert (state.run_count, state.failure, state.took_ms) == (2, "", 9)
