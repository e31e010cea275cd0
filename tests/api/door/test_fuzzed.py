"""A few hundred of the requests of `python -m bench.fuzz_door`, and that it sees what it looks for."""

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from tests.api.door.fuzzing import App, Outcome, fuzzed
from tests.processes import WarehouseProcess

SEED = 20_260_101
ANSWERED_WITHIN = 2


def run(warehouse: WarehouseProcess, store: Store, spool: Path, requests: int, **more: Any) -> Outcome:
    return fuzzed(warehouse, store, spool, SEED, requests, **more)


@pytest.mark.slow
def test_no_request_by_chance_fails_the_server_or_stops_a_neighbor(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    outcome = run(warehouse, store, tmp_path / "spool", 800, neighbor_every=400)
    assert outcome.faults == []
    assert outcome.neighbors_stored == outcome.neighbors_sent == 2
    statuses = {status for _, status in outcome.statuses}
    assert {200, 202, 400, 403, 404, 405, 415} <= statuses
    # Of each protocol some are taken.
    taken = {kind for kind, status in outcome.statuses if status in (200, 202)}
    assert len(taken) >= 8 and len(outcome.changes) >= 15
    assert outcome.lines > 200


@pytest.mark.slow
def test_it_notices_failures_and_lost_responses(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    def failing(app: App) -> App:
        numbers = count()

        async def fail(scope: Any, receive: Any, send: Any) -> None:
            number = next(numbers)
            if number == 10:
                raise ValueError("broken")
            if number == 20:
                await send({"type": "http.response.start", "status": 200, "headers": []})
            elif number == 30:
                await send({"type": "http.response.start", "status": 502, "headers": []})
                await send({"type": "http.response.body", "body": b""})
            elif number == 40:
                await asyncio.sleep(60)
            else:
                await app(scope, receive, send)

        return fail

    outcome = run(
        warehouse, store, tmp_path / "spool", 100, around=failing, answer_within_seconds=ANSWERED_WITHIN
    )
    told = {fault.partition(":")[0].partition(" b'")[0] for fault in outcome.faults}
    assert told >= {"ValueError", "no whole response", "502", f"no response within {ANSWERED_WITHIN} s"}
