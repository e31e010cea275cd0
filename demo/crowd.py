"""Several visitors at a time: many at first, so that there is something to see, then at a human pace."""

import asyncio
import contextlib
import random
import time
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page

from demo.journeys import FAULTS, ORDINARY, Journey, Visit

FIRST_MINUTE_S = 60.0
# Milliseconds, and bytes per second.
NETWORK = {"offline": False, "latency": 110, "downloadThroughput": 180_000, "uploadThroughput": 90_000}
DEVICES = ["Desktop Chrome", "Desktop Chrome", "Desktop Edge", "Pixel 7", "Galaxy S9+"]


class Crowd:
    def __init__(self, browser: Browser, devices: dict[str, Any], shop: str, size: int) -> None:
        self.browser = browser
        self.devices = devices
        self.shop = shop
        self.size = size
        self.started = time.monotonic()
        # Every kind of fault once, before chance decides.
        self._first = [*FAULTS]

    @property
    def is_first_minute(self) -> bool:
        return time.monotonic() - self.started < FIRST_MINUTE_S

    async def keep_coming(self) -> None:
        async with asyncio.TaskGroup() as group:
            for seat in range(self.size):
                group.create_task(self._seat(seat))

    async def _seat(self, seat: int) -> None:
        # One visitor stays on after the first minute; the others' seats stay empty.
        while self.is_first_minute or seat == 0:
            await self._visit(self._next())
            if not self.is_first_minute:
                await asyncio.sleep(random.uniform(1, 5))

    def _next(self) -> Journey:
        if self._first:
            return self._first.pop(0)
        return random.choice(FAULTS if random.random() < 0.4 else ORDINARY)

    async def _visit(self, journey: Journey) -> None:
        context = await self.browser.new_context(**self.devices[random.choice(DEVICES)])
        try:
            await self._recognize(context)
            page = await context.new_page()
            await self._slow_down(context, page)
            await journey(Visit(page, self.shop, 0.35 if self.is_first_minute else 2.5))
            # Leaving a page is when a browser tells the rest of what it measured.
            await page.goto("about:blank")
            await asyncio.sleep(0.2)
        except Error as error:
            # A shop that is just being deployed, an element that an error kept away.
            print(f"{journey.__name__}: {error.message.splitlines()[0]}", flush=True)  # noqa: T201
            await asyncio.sleep(1)
        finally:
            # When the demonstration ends, the browser may be gone already.
            with contextlib.suppress(Error):
                await context.close()

    async def _slow_down(self, context: BrowserContext, page: Page) -> None:
        """Nobody visits a shop from its own host: live pages would be faster than any real one."""
        session = await context.new_cdp_session(page)
        await session.send("Network.enable")
        await session.send("Network.emulateNetworkConditions", NETWORK)

    async def _recognize(self, context: BrowserContext) -> None:
        """Most visitors have signed in some other day."""
        if random.random() < 0.7:
            visitor = str(random.randint(1001, 1006))
            await context.add_cookies([{"name": "visitor", "value": visitor, "url": self.shop}])
