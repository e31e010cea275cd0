"""Events out of an event loop, each with what belongs to its own task."""

import asyncio
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import errata_sdk
import sentry_sdk
import uvicorn
from fastapi import FastAPI
from sentry_sdk.integrations.asyncio import enable_asyncio_integration
from sentry_sdk.integrations.fastapi import FastApiIntegration
from sentry_sdk.integrations.starlette import StarletteIntegration

Lines = Callable[[], list[dict[str, Any]]]


def start(logs: Path, *integrations: Any) -> None:
    errata_sdk.init("errata_app_test", logs, integrations=integrations, auto_enabling_integrations=False)


def told(lines: Lines) -> list[tuple[str, str]]:
    """The tag and the message of each event."""
    return sorted(
        (line["payload"]["tags"]["job"], line["payload"]["exception"]["values"][-1]["value"])
        for line in lines()
    )


def fail(number: int) -> None:
    try:
        raise RuntimeError(str(number))
    except RuntimeError:
        sentry_sdk.capture_exception()


async def job(number: int) -> None:
    with sentry_sdk.isolation_scope() as scope:
        scope.set_tag("job", str(number))
        await asyncio.sleep(0)
        if number % 2:
            await asyncio.get_running_loop().run_in_executor(None, partial(fail, number))
        else:
            await asyncio.to_thread(fail, number)
        await asyncio.sleep(0)


def test_tasks_and_the_threads_they_wait_for_tell_their_own_scope(logs: Path, lines: Lines) -> None:
    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(job(number))

    start(logs)
    asyncio.run(main())
    assert told(lines) == sorted((str(number), str(number)) for number in range(20))


def test_a_task_that_fails_in_a_group_is_told_with_its_own_scope(logs: Path, lines: Lines) -> None:
    async def failing() -> None:
        sentry_sdk.set_tag("job", "failing")
        raise RuntimeError("in a task")

    async def main() -> None:
        enable_asyncio_integration()
        sentry_sdk.set_tag("job", "main")
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(failing())
        except ExceptionGroup:
            await asyncio.to_thread(fail, 1)

    start(logs)
    asyncio.run(main())
    assert told(lines) == [("failing", "in a task"), ("main", "1")]


def test_requests_that_uvicorn_serves_side_by_side_keep_their_own_scope(logs: Path, lines: Lines) -> None:
    start(logs, StarletteIntegration(), FastApiIntegration())
    application = FastAPI()
    together = threading.Barrier(4)

    @application.get("/{number}")
    async def answer(number: int) -> None:
        sentry_sdk.set_tag("job", str(number))
        await asyncio.to_thread(together.wait, 10)
        raise RuntimeError(str(number))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(application, log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/{{}}"

        def status(number: int) -> int:
            try:
                urllib.request.urlopen(address.format(number), timeout=10)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code
            return 0

        with ThreadPoolExecutor(4) as callers:
            assert set(callers.map(status, range(8))) == {500}
        server.should_exit = True
        thread.join(10)
    assert told(lines) == sorted((str(number), str(number)) for number in range(8))
