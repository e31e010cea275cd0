"""The threads that prepare deliveries: one for light work, one for heavy, which waits for the light."""

import asyncio
import time
from collections.abc import AsyncIterator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from api.errors import TooManyAtOnce
from api.metrics.instruments import DELIVERIES_PREPARING
from api.slots import Slots

Result = TypeVar("Result")
Sender = tuple[int, str]

Steps = Generator[bool, None, Result]
"""Work with breaks between its steps; it yields whether the next step is heavy."""
LIGHT, HEAVY = False, True

SLICE_SECONDS = 0.05
# The total time a delivery yields to responses in progress: about as long as a page takes.
READERS_SECONDS = 0.2
# And a heavy one to light ones.
LIGHT_FIRST_SECONDS = 5.0
# Of a sender, light and heavy ones: each may hold 8 MiB of lines, and the rows made of them.
DELIVERIES_AT_ONCE = 8
# Processor time. A shipper's full batch of ordinary events takes less.
LIGHT_SECONDS = 0.5


class PreparationThreads:
    """Light work is done in time slices, round robin among senders, and among the deliveries of a sender.
    Heavy work is done one after the other, in the order of its senders, while no light work is left: in equal
    shares, all of it would end late, and senders that waited too long would send it again.

    Decoding is bound to the interpreter: more threads of a kind would only alternate. Between the two kinds
    the interpreter changes every few milliseconds, so that light work continues during a heavy step, unless
    that is one call of a library.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._light_thread = ThreadPoolExecutor(1, thread_name_prefix="decode")
        self._heavy_thread = ThreadPoolExecutor(1, thread_name_prefix="decode-heavy")
        self._heavy = asyncio.Lock()
        # Those without deliveries are dropped.
        self._senders: WeakValueDictionary[Sender, Turns] = WeakValueDictionary()
        self._light_count = 0
        self._no_light = asyncio.Event()
        self._no_light.set()

    @property
    def light_count(self) -> int:
        """Deliveries whose light work is not done."""
        return self._light_count

    @asynccontextmanager
    async def run(self, sender: Sender, steps: Steps[Result]) -> AsyncIterator[tuple[Result, bool]]:
        """The result of the work, and whether it was heavy: then there is no other such result until this one
        is left. Raises the exception of a step, and TooManyAtOnce for too much heavy work of the sender."""
        work = Work(steps)
        turns = self._senders.setdefault(sender, Turns())
        with DELIVERIES_PREPARING.track_inprogress():
            async with turns.light_work:
                await self._run_light(work, turns)
        if work.results:
            yield work.results[0], LIGHT
            return
        if turns.heavy_work.locked():
            raise TooManyAtOnce
        async with AsyncExitStack() as held:
            with DELIVERIES_PREPARING.track_inprogress():
                for one in (turns.heavy_work, turns.heavy, self._heavy):
                    await held.enter_async_context(one)
                await self._run_heavy(work)
            yield work.results[0], HEAVY

    def close(self) -> None:
        self._light_thread.shutdown()
        self._heavy_thread.shutdown()

    async def _run_light(self, work: "Work[Result]", turns: "Turns") -> None:
        self._light_count += 1
        self._no_light.clear()
        try:
            while not (work.results or work.is_heavy):
                async with turns.light:
                    await self._run_slice(self._light_thread, work)
        finally:
            self._light_count -= 1
            if not self._light_count:
                self._no_light.set()

    async def _run_heavy(self, work: "Work[Result]") -> None:
        until = time.monotonic() + LIGHT_FIRST_SECONDS
        while not work.results:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    await self._no_light.wait()
            await self._run_slice(self._heavy_thread, work)

    async def _run_slice(self, thread: ThreadPoolExecutor, work: "Work[Result]") -> None:
        work.patience -= await self._slots.wait_until_free(work.patience)
        await asyncio.get_running_loop().run_in_executor(thread, copy_context().run, work.run_slice)


@dataclass(eq=False)
class Turns:
    """The deliveries of a sender, and which of them is worked on."""

    light_work: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(DELIVERIES_AT_ONCE))
    heavy_work: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(DELIVERIES_AT_ONCE))
    light: asyncio.Lock = field(default_factory=asyncio.Lock)
    heavy: asyncio.Lock = field(default_factory=asyncio.Lock)


class Work(Generic[Result]):
    """`results` holds the result once the work is done; `patience`: seconds it still yields to readers."""

    def __init__(self, steps: Steps[Result]) -> None:
        self.results: list[Result] = []
        self.is_heavy = False
        self.patience = READERS_SECONDS
        self._steps = steps
        self._seconds = 0.0

    def run_slice(self) -> None:
        until, began = time.monotonic() + SLICE_SECONDS, time.thread_time()
        try:
            while time.monotonic() < until:
                if next(self._steps):
                    self.is_heavy = True
                    break
        except StopIteration as end:
            self.results.append(end.value)
        self._seconds += time.thread_time() - began
        self.is_heavy |= self._seconds > LIGHT_SECONDS
