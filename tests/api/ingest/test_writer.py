"""Which deliveries are inserted together."""

import asyncio
from datetime import UTC, datetime
from unittest.mock import Mock

from api.ingest.batch import Batch
from api.ingest.writer import Writer
from tests.cases import each

GATHER_SECONDS = 0.2


def a_batch(number: int) -> Batch:
    return Batch(f"b{number}", datetime.now(UTC), rows={"errata_raw.deliveries": [{"n": number}]})


@each(("is_more_coming", "inserts"), [(True, [2]), (False, [1, 1])])
def test_a_group_waits_once_more_while_others_are_prepared(is_more_coming: bool, inserts: list[int]) -> None:
    warehouse, registry = Mock(), Mock()
    registry.rows_of_new.return_value = {}, []

    async def store() -> None:
        writer = Writer(warehouse, registry, Mock(), GATHER_SECONDS, 1_000, lambda: is_more_coming)
        first = asyncio.create_task(writer.store(a_batch(1)))
        await asyncio.sleep(1.5 * GATHER_SECONDS)
        await asyncio.gather(first, writer.store(a_batch(2)))
        await writer.close()

    asyncio.run(store())
    assert [len(call.args[1]) for call in warehouse.insert_rows.call_args_list] == inserts


def test_a_group_does_not_wait_for_ever_while_others_are_prepared() -> None:
    warehouse, registry = Mock(), Mock()
    registry.rows_of_new.return_value = {}, []

    async def store() -> None:
        writer = Writer(warehouse, registry, Mock(), GATHER_SECONDS / 10, 1_000, lambda: True)
        async with asyncio.timeout(10):
            await writer.store(a_batch(1))
        await writer.close()

    asyncio.run(store())
    assert warehouse.insert_rows.call_count == 1


@each(("pause_seconds", "inserts"), [(0.0, [1, 3]), (3 * GATHER_SECONDS, [1, 1, 1, 1])])
def test_a_delivery_alone_is_inserted_at_once_and_small_ones_once_a_wait(
    pause_seconds: float, inserts: list[int]
) -> None:
    warehouse, registry = Mock(), Mock()
    registry.rows_of_new.return_value = {}, []

    async def store() -> float:
        writer = Writer(warehouse, registry, Mock(), GATHER_SECONDS, 1_000, lambda: False)
        began = asyncio.get_running_loop().time()
        await writer.store(a_batch(0))
        seconds = asyncio.get_running_loop().time() - began
        others = []
        for number in range(3):
            await asyncio.sleep(pause_seconds)
            others.append(asyncio.create_task(writer.store(a_batch(number + 1))))
        await asyncio.gather(*others)
        await writer.close()
        return seconds

    assert asyncio.run(store()) < GATHER_SECONDS
    assert [len(call.args[1]) for call in warehouse.insert_rows.call_args_list] == inserts
