"""Visitors in a browser: each of the bugs at once where no weeks were before, else as many as in these."""

import asyncio
import contextlib
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page

from demo.arrivals import arrivals
from demo.journeys import FAULTS, Journey, Visit

# Milliseconds, and bytes per second.
NETWORK = {"offline": False, "latency": 110, "downloadThroughput": 600_000, "uploadThroughput": 90_000}
DEVICES = ["Desktop Chrome", "Desktop Chrome", "Desktop Edge", "Pixel 7", "Galaxy S9+"]


class Crowd:
    def __init__(self, browser: Browser, devices: dict[str, Any], shop: str, size: int) -> None:
        self.browser = browser
        self.devices = devices
        self.shop = shop
        self.size = size

    async def meet_every_fault(self) -> None:
        """Within the first minute."""
        async with asyncio.TaskGroup() as group:
            for seat in range(self.size):
                group.create_task(self._hurry(FAULTS[seat :: self.size]))

    async def keep_coming(self) -> None:
        for each in arrivals(datetime.now(UTC), Random()):
            await asyncio.sleep(max(0.0, (each.at - datetime.now(UTC)).total_seconds()))
            await self._visit(each.journey, each.pace_s)

    async def _hurry(self, journeys: Sequence[Journey]) -> None:
        for journey in journeys:
            await self._visit(journey, pace_s=0.35)

    async def _visit(self, journey: Journey, pace_s: float) -> None:
        context = await self.browser.new_context(**self.devices[random.choice(DEVICES)])
        try:
            await self._recognize(context)
            page = await context.new_page()
            await self._slow_down(context, page)
            await journey(Visit(page, self.shop, pace_s))
            # A replay is sent a moment after its error.
            await Visit(page, self.shop, max(pace_s, 2.0)).look()
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
