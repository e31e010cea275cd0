"""The order in which deliveries of one or several senders are prepared."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from api.errors import TooManyAtOnce
from api.ingest.preparation import DELIVERIES_AT_ONCE, HEAVY, LIGHT, PreparationThreads, Steps
from api.slots import Slots

OURS, THEIRS = (1, "ours"), (1, "theirs")
MANY = 40


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.ingest.preparation.SLICE_SECONDS", 0.001)


class Deliveries:
    """Deliveries of so many steps, each of about a slice; `taken`: steps by name."""

    def __init__(self) -> None:
        self.taken = Counter[str]()
        self.ended: list[str] = []
        self.held = self.held_max = 0
        self.threads = PreparationThreads(Slots())

    def work(self, name: str, steps: int, kind: bool) -> Steps[str]:
        for _ in range(steps):
            yield kind
            time.sleep(0.001)
            self.taken[name] += 1
        return name

    async def deliver(self, sender: tuple[int, str], name: str, steps: int, kind: bool = LIGHT) -> None:
        async with self.threads.run(sender, self.work(name, steps, kind)) as (result, is_heavy):
            assert (result, is_heavy) == (name, kind)
            self.held += is_heavy
            self.held_max = max(self.held, self.held_max)
            await asyncio.sleep(0.01)
            self.held -= is_heavy
            self.ended.append(result)


def run(part: Callable[[Deliveries], Awaitable[None]]) -> Deliveries:
    async def all_of_it() -> Deliveries:
        deliveries = Deliveries()
        await part(deliveries)
        deliveries.threads.close()
        return deliveries

    return asyncio.run(all_of_it())


@pytest.mark.parametrize("sender", [OURS, THEIRS], ids=["of its key", "of another key"])
@pytest.mark.parametrize("kind", [LIGHT, HEAVY], ids=["light", "heavy"])
def test_a_small_delivery_waits_for_few_steps_of_those_before_it(sender: tuple[int, str], kind: bool) -> None:
    async def part(deliveries: Deliveries) -> None:
        count = DELIVERIES_AT_ONCE - 1
        others = [
            asyncio.create_task(deliveries.deliver(sender, f"other {n}", MANY, kind)) for n in range(count)
        ]
        await asyncio.sleep(0.02)
        for number in range(3):
            before = deliveries.taken.total()
            await deliveries.deliver(OURS, f"small {number}", 2)
            assert deliveries.taken.total() - before <= 3 * (count + 2)
        assert not deliveries.ended[3:]
        await asyncio.gather(*others)

    assert run(part).taken.total() == (DELIVERIES_AT_ONCE - 1) * MANY + 6


def test_heavy_results_are_one_at_a_time_and_senders_take_turns() -> None:
    async def part(deliveries: Deliveries) -> None:
        theirs = [deliveries.deliver(THEIRS, f"their {number}", 3, HEAVY) for number in range(6)]
        await asyncio.gather(*theirs, deliveries.deliver(OURS, "our", 3, HEAVY))

    deliveries = run(part)
    assert deliveries.held_max == 1
    assert "our" in deliveries.ended[:3]


def test_heavy_deliveries_of_a_sender_are_limited() -> None:
    async def part(deliveries: Deliveries) -> None:
        heavy = [deliveries.deliver(THEIRS, "heavy", 1, HEAVY) for _ in range(3 * DELIVERIES_AT_ONCE)]
        results = await asyncio.gather(
            *heavy, deliveries.deliver(OURS, "our", 1, HEAVY), return_exceptions=True
        )
        refused = [one for one in results if isinstance(one, TooManyAtOnce)]
        assert 0 < len(refused) <= 2 * DELIVERIES_AT_ONCE
        await deliveries.deliver(THEIRS, "heavy", 1, HEAVY)

    assert "our" in run(part).ended


def test_heavy_work_goes_on_beside_light_work_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.ingest.preparation.LIGHT_FIRST_SECONDS", 0.05)

    async def part(deliveries: Deliveries) -> None:
        heavy = asyncio.create_task(deliveries.deliver(THEIRS, "heavy", 5, HEAVY))
        light = [asyncio.create_task(deliveries.deliver(OURS, "light", 200)) for _ in range(2)]
        await asyncio.wait_for(heavy, 10)
        assert not any(one.done() for one in light)
        await asyncio.gather(*light)

    run(part)
