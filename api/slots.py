"""The limit of requests in progress: in all, and of one caller."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

AT_ONCE = 60
# As many connections as a browser opens to one host.
AT_ONCE_A_CALLER = 6


@dataclass
class Slots:
    """The slots of one event loop. A slot is taken until it is returned, however long its caller waits."""

    at_once: int = AT_ONCE
    at_once_a_caller: int = AT_ONCE_A_CALLER
    _all: asyncio.Semaphore = field(init=False)
    _own: dict[bytes, asyncio.Semaphore] = field(default_factory=dict)
    _asking: dict[bytes, int] = field(default_factory=dict)
    _free: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._all = asyncio.Semaphore(self.at_once)
        self._free.set()

    async def take(self, caller: bytes) -> None:
        """Takes a slot, first among the caller's own: a caller waiting for its own slots keeps nobody else
        waiting."""
        own = self._own.setdefault(caller, asyncio.Semaphore(self.at_once_a_caller))
        self._asking[caller] = self._asking.get(caller, 0) + 1
        self._free.clear()
        try:
            await own.acquire()
            try:
                await self._all.acquire()
            except asyncio.CancelledError:
                own.release()
                raise
        except asyncio.CancelledError:
            self._forget(caller)
            raise

    def release(self, caller: bytes) -> None:
        self._all.release()
        self._own[caller].release()
        self._forget(caller)

    async def wait_until_free(self, seconds: float) -> float:
        """Waits until no request is in progress, up to a limit; returns the seconds waited."""
        if self._free.is_set() or seconds <= 0:
            return 0.0
        clock = asyncio.get_running_loop().time
        began = clock()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._free.wait()
        return clock() - began

    def _forget(self, caller: bytes) -> None:
        self._asking[caller] -= 1
        if not self._asking[caller]:
            del self._asking[caller], self._own[caller]
        if not self._asking:
            self._free.set()
