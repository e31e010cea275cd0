"""The server as the shipper's code sees it where both are one process: ingest is called without HTTP."""

import asyncio
from concurrent.futures import CancelledError
from dataclasses import asdict

from errata_shipper.client import Response
from errata_shipper.errors import ServerUnreachable

from api.ingest import source
from api.ingest.accept import Delivery, Ingest
from api.problems import code_of, retry_after_of, status_of
from errata import __version__
from errata.errors import ErrataError

# Longer than an insert may take.
ANSWER_SECONDS = 60.0


class Courier:
    """Delivers lines of one organization's spool, from whichever thread, to the ingest of an event loop."""

    def __init__(self, ingest: Ingest, loop: asyncio.AbstractEventLoop, organization_id: int) -> None:
        self._ingest = ingest
        self._loop = loop
        self._organization_id = organization_id

    def verify_key(self) -> Response:
        return Response(200, {"valid": True})

    def ingest(
        self,
        body: bytes,
        encoding: str,
        batch_id: str,
        source_text: str | None,
        timeout_seconds: float | None = None,
    ) -> Response:
        """The response of `POST /api/ingest`. Limits were asked when the lines were taken."""
        delivery = Delivery(
            self._organization_id,
            body,
            "" if encoding == "identity" else encoding,
            app_key="",
            batch_id=batch_id,
            source=source.parse(source_text or ""),
            shipper_version=__version__,
            is_direct=True,
        )
        try:
            coroutine = self._ingest.accept(delivery)
            answer = asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(
                timeout_seconds or ANSWER_SECONDS
            )
        except ErrataError as error:
            status = status_of(error.code)
            told = {"error": code_of(error), "message": str(error)}
            return Response(status, told, retry_after_of(error))
        except (TimeoutError, CancelledError, RuntimeError) as error:
            raise ServerUnreachable("The service is stopping or busy", "lines are kept") from error
        return Response(200, asdict(answer))
