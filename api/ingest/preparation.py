"""The threads that prepare deliveries: one for light work, one for heavy, one delivery a sender at a time."""

import asyncio
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from api.slots import Slots

Result = TypeVar("Result")
Sender = tuple[int, str]

Steps = Generator[bool, None, Result]
"""Work with breaks between its steps; it yields whether the next step is heavy."""
LIGHT, HEAVY = False, True

SLICE_SECONDS = 0.05
# The total time a delivery yields to responses in progress: about as long as a page takes.
READERS_SECONDS = 0.2
# Processor time. A shipper's full batch of ordinary events takes less.
LIGHT_SECONDS = 0.5


class PreparationThreads:
    """Light work is done in time slices, round robin. Heavy work is done one after the other, in its order:
    in equal shares, all of it would end late, and senders that waited too long would send it again.

    Decoding is bound to the interpreter: more threads of a kind would only alternate. Between the two kinds
    the interpreter changes every few milliseconds, so that light work continues during a heavy step, unless
    that is one call of a library.
    """

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._light_thread = ThreadPoolExecutor(1, thread_name_prefix="decode")
        self._heavy_thread = ThreadPoolExecutor(1, thread_name_prefix="decode-heavy")
        self._heavy = asyncio.Lock()
        # An unused lock is dropped.
        self._senders: WeakValueDictionary[Sender, asyncio.Lock] = WeakValueDictionary()
        self._light_count = 0

    @property
    def has_light_work(self) -> bool:
        return self._light_count > 0

    async def run(self, sender: Sender, steps: Steps[Result]) -> Result:
        """The result of the work. Raises the exception of a step."""
        work = Work(steps)
        async with self._lock_of(sender):
            self._light_count += 1
            try:
                while not (work.results or work.is_heavy):
                    await self._run_slice(self._light_thread, work)
            finally:
                self._light_count -= 1
            if not work.results:
                async with self._heavy:
                    while not work.results:
                        await self._run_slice(self._heavy_thread, work)
        return work.results[0]

    def close(self) -> None:
        self._light_thread.shutdown()
        self._heavy_thread.shutdown()

    async def _run_slice(self, thread: ThreadPoolExecutor, work: "Work[Result]") -> None:
        work.patience -= await self._slots.wait_until_free(work.patience)
        await asyncio.get_running_loop().run_in_executor(thread, work.run_slice)

    def _lock_of(self, sender: Sender) -> asyncio.Lock:
        lock = self._senders.get(sender)
        if lock is None:
            lock = self._senders[sender] = asyncio.Lock()
        return lock


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
