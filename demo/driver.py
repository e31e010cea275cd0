"""`python -m demo.driver`: people who visit the shop, and programs that call it."""

import argparse
import asyncio
import contextlib
import os
import random
import re
import signal
import sys
import threading
import time
import urllib.request
from datetime import UTC, datetime

from demo import captured, chromium, story
from demo.traffic import keep_calling

ENVELOPES_A_LOAD = 7
OPENING_LOADS = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m demo.driver")
    parser.add_argument("--shop", required=True, help="URL of the shop")
    parser.add_argument(
        "--visitors", type=int, default=0, help="that meet every bug in the first minute (default: none)"
    )
    shop, visitors = (chosen := parser.parse_args()).shop, chosen.visitors
    # What is watched comes before who watches.
    os.nice(5)
    stopping = threading.Event()
    threading.Thread(target=keep_calling, args=(shop, stopping), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        browser = chromium.found()
        if browser is None:
            say("No Chromium found: sending captured page loads instead.")
            post_captured(shop)
        else:
            say(f"Browsing with {browser}")
            asyncio.run(browse(shop, browser, visitors))
    except KeyboardInterrupt:
        pass
    finally:
        stopping.set()


async def browse(shop: str, executable: str, visitors: int) -> None:
    from playwright.async_api import Error, async_playwright

    from demo.crowd import Crowd

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable, args=list(chromium.ARGUMENTS), handle_sigterm=False
        )
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            crowd = Crowd(browser, playwright.devices, shop, visitors)
            await crowd.meet_every_fault()
            await crowd.keep_coming()
        with contextlib.suppress(Error):
            await browser.close()


def post_captured(shop: str) -> None:
    """Round after round, as often as the weeks before had them; the first page loads at once."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    round_ = 0
    while True:
        round_ += 1
        started = time.time()
        for n, envelope in enumerate(captured.loads()):
            shift = datetime.now(UTC) - captured.sent_at(envelope)
            told = captured.body(envelope, shift, f"{started}-{round_}")
            body = re.sub(rb"shop-web@\d+\.\d+\.\d+", story.NEWEST.version.encode(), told)
            request = urllib.request.Request(
                f"{shop}/tunnel", data=body, headers={"Content-Type": "text/plain;charset=UTF-8"}
            )
            with contextlib.suppress(OSError), opener.open(request, timeout=10) as answer:
                answer.read()
            time.sleep(
                0.1
                if round_ == 1 and n < OPENING_LOADS * ENVELOPES_A_LOAD
                else random.expovariate(_envelopes_a_second())
            )


def _envelopes_a_second() -> float:
    loads = story.visits_an_hour(datetime.now(UTC)) * story.LOADS_A_VISIT
    return loads * ENVELOPES_A_LOAD / 3600


def say(sentence: str) -> None:
    print(sentence, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
