"""Who gets the memory for large bodies where it is short."""

import asyncio

from errata_shipper.intake.memory import Memory

from tests.cases import each


async def _wait(memory: Memory, count: int) -> asyncio.Task[None]:
    task = asyncio.create_task(memory.hold(count))
    await asyncio.sleep(0)
    return task


def test_the_last_to_come_is_served_first_and_larger_ones_before_it_too() -> None:
    async def run() -> None:
        memory = Memory(100)
        await memory.hold(100)
        assert memory.lack == 0
        first, second = await _wait(memory, 10), await _wait(memory, 60)
        assert memory.lack == 60
        memory.free(50)
        await asyncio.sleep(0)
        assert (first.done(), second.done(), memory.lack) == (False, False, 10)
        memory.free(20)
        await asyncio.sleep(0)
        assert (first.done(), second.done(), memory.lack) == (True, True, 0)

    asyncio.run(run())


@each("is_freed_before", [False, True])
def test_who_leaves_while_it_waits_holds_nothing(is_freed_before: bool) -> None:
    async def run() -> None:
        memory = Memory(100)
        await memory.hold(100)
        waiting = await _wait(memory, 40)
        if is_freed_before:
            memory.free(100)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        if not is_freed_before:
            memory.free(100)
        await asyncio.wait_for(memory.hold(100), 1)

    asyncio.run(run())
