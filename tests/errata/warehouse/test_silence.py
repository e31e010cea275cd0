"""A warehouse that is stopped but not dead: SIGSTOP leaves its port open and its connections standing."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.migrations import migrate
from errata.warehouse.presence import PROBE_AGAIN_SECONDS, Presence
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess, start_warehouse

SILENCE = 2


@pytest.fixture
def stoppable(tmp_path: Path) -> Iterator[WarehouseProcess]:
    running = start_warehouse(tmp_path)
    admin = running.client(Role.ADMIN)
    migrate(admin)
    admin.close()
    yield running
    running.process.send_signal(signal.SIGCONT)
    running.stop()


def client(running: WarehouseProcess, role: Role) -> Warehouse:
    return Warehouse(running.url(role), silence_seconds=SILENCE)


def suspend(running: WarehouseProcess) -> None:
    """Returns when none of its threads runs any more: on a busy machine they stop one after another."""
    running.process.send_signal(signal.SIGSTOP)
    tasks = Path(f"/proc/{running.process.pid}/task")
    while any(state_of(task) not in "Tt" for task in tasks.iterdir()):
        time.sleep(0.01)


def state_of(task: Path) -> str:
    return (task / "stat").read_text().rpartition(")")[2].split()[0]


def refused_after(ask: Callable[[], object]) -> float:
    began = time.monotonic()
    with pytest.raises(WarehouseUnavailable):
        ask()
    return time.monotonic() - began


@pytest.mark.slow
def test_nobody_waits_long_for_a_warehouse_that_hangs(stoppable: WarehouseProcess) -> None:
    warehouse = client(stoppable, Role.ADMIN)
    assert warehouse.rows("select 1 as one") == [{"one": 1}]
    suspend(stoppable)
    assert not warehouse.ping()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(refused_after, lambda: warehouse.rows("select 1 as one")) for _ in range(8)]
        assert all(one.result() < SILENCE + 6 for one in asked)
        # Once it is known, whoever comes is refused at once; one of them looks whether it is back.
        later = [threads.submit(refused_after, lambda: warehouse.rows("select 1 as one")) for _ in range(200)]
        assert sorted(one.result() for one in later)[-9] < SILENCE / 2
    stoppable.process.send_signal(signal.SIGCONT)
    time.sleep(2 * PROBE_AGAIN_SECONDS)
    assert warehouse.rows("select 1 as one") == [{"one": 1}]
    warehouse.close()


@pytest.mark.slow
def test_rows_whose_answer_was_not_waited_for_count_once_when_they_come_again(
    stoppable: WarehouseProcess,
) -> None:
    ingest, admin = client(stoppable, Role.INGEST), client(stoppable, Role.ADMIN)
    line = b'{"project_id": 7, "item_type": "event", "item_count": 3}\n'
    ingest.insert_json_lines("errata_raw.outcomes", line, token="first")
    suspend(stoppable)
    assert (
        refused_after(lambda: ingest.insert_json_lines("errata_raw.outcomes", line, token="second"))
        < SILENCE + 6
    )
    stoppable.process.send_signal(signal.SIGCONT)
    time.sleep(2 * PROBE_AGAIN_SECONDS)
    ingest.insert_json_lines("errata_raw.outcomes", line, token="second")
    assert admin.rows("select count() as c from errata_raw.outcomes") == [{"c": 2}]
    ingest.close()
    admin.close()


@pytest.mark.slow
def test_a_statement_that_is_worked_on_may_take_longer_than_a_silence(
    warehouse_process: WarehouseProcess,
) -> None:
    read = client(warehouse_process, Role.READ)
    slow = "select count(sleepEachRow(1)) as c from numbers(4) settings max_block_size = 1"
    assert read.rows(slow) == [{"c": 4}]
    # It may also be silent, if it is there.
    assert read.rows("select sleep(3) as c") == [{"c": 0}]
    impatient = Warehouse(warehouse_process.url(Role.READ), timeout_seconds=1)
    assert impatient.rows("select 1 as one") == [{"one": 1}]
    with pytest.raises(WarehouseUnavailable):
        impatient.rows("select sleep(3) as c")
    impatient.close()
    assert read.rows("select 1 as one") == [{"one": 1}]
    read.close()


def test_one_looks_for_all_whether_it_is_back() -> None:
    now, alive, looks = [100.0], [False], []

    def probe() -> bool:
        looks.append(now[0])
        return alive[0]

    presence = Presence(probe, lambda: now[0])
    assert presence.is_there() and looks == []
    assert presence.lost() and presence.lost() and looks == [100.0]
    assert not presence.is_there() and looks == [100.0]
    now[0] += PROBE_AGAIN_SECONDS
    assert not presence.is_there() and len(looks) == 2
    alive[0] = True
    now[0] += PROBE_AGAIN_SECONDS
    assert presence.is_there() and len(looks) == 3
    assert presence.is_there() and len(looks) == 3
