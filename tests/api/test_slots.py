"""Who gives way to requests that are worked on waits until they are answered, but not longer than it must."""

import asyncio

from api.slots import Slots

CALLER = b"key"


def test_nobody_waits_for_places_that_are_free() -> None:
    async def waited() -> float:
        slots = Slots()
        await slots.take(CALLER)
        slots.release(CALLER)
        return await slots.wait_until_free(10)

    assert asyncio.run(waited()) == 0


def test_the_wait_ends_with_the_last_answer() -> None:
    async def waited() -> list[bool]:
        slots = Slots()
        await slots.take(CALLER)
        await slots.take(b"another")
        waiting = asyncio.create_task(slots.wait_until_free(60))
        ended = []
        for caller in (CALLER, b"another"):
            slots.release(caller)
            await asyncio.sleep(0.01)
            ended.append(waiting.done())
        return ended

    assert asyncio.run(waited()) == [False, True]


def test_the_wait_ends_by_itself_and_a_caller_who_gives_up_holds_nothing() -> None:
    async def waited() -> tuple[float, float]:
        slots = Slots(at_once=1)
        await slots.take(CALLER)
        gave_up = asyncio.create_task(slots.take(b"another"))
        await asyncio.sleep(0)
        gave_up.cancel()
        before = await slots.wait_until_free(0.05)
        assert await slots.wait_until_free(0) == 0
        slots.release(CALLER)
        return before, await slots.wait_until_free(10)

    before, after = asyncio.run(waited())
    assert 0.04 <= before < 5
    assert after == 0
