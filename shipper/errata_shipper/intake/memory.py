import asyncio


class Memory:
    """What large bodies that are not whole yet may take together.

    Whoever comes when it is taken waits, and the last to come is served first: those before it may stall.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        # How much each waits for.
        self._waiting: dict[asyncio.Future[None], int] = {}

    @property
    def lack(self) -> int:
        """How many bytes must be freed for the next of those that wait; 0 where nobody does."""
        return next(reversed(self._waiting.values()), self._free) - self._free

    async def hold(self, count: int) -> None:
        if count <= self._free:
            self._free -= count
            return
        held = asyncio.get_running_loop().create_future()
        self._waiting[held] = count
        try:
            await held
        except asyncio.CancelledError:
            if self._waiting.pop(held, None) is None:
                self.free(count)
            raise

    def free(self, count: int) -> None:
        self._free += count
        for held, wanted in reversed(list(self._waiting.items())):
            if wanted > self._free:
                break
            self._free -= wanted
            del self._waiting[held]
            held.set_result(None)
