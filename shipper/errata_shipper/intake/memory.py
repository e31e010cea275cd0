import asyncio


class Memory:
    """What large bodies that are not whole yet may take together; whoever comes when it is taken waits."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._freed = asyncio.Condition()

    async def hold(self, count: int, seconds: float) -> bool:
        """False if it is still taken after so long."""
        try:
            async with asyncio.timeout(seconds), self._freed:
                await self._freed.wait_for(lambda: self._held + count <= self._limit)
                self._held += count
        except TimeoutError:
            return False
        return True

    async def free(self, count: int) -> None:
        async with self._freed:
            self._held -= count
            self._freed.notify_all()
