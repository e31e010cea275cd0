"""The intake as a part of the shipper: its sockets, its thread, its end."""

import asyncio
import contextlib
import errno
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from errata_wire import brotli_library

from errata_shipper.clock import SystemClock
from errata_shipper.errors import ShipperError
from errata_shipper.intake.admission import CHECK_SECONDS, Admission, Limits
from errata_shipper.intake.endpoint import Endpoint
from errata_shipper.intake.errors import IntakeUnavailable
from errata_shipper.intake.inherited import inherited_sockets
from errata_shipper.intake.log_file import LogFile
from errata_shipper.intake.notices import Notices
from errata_shipper.intake.server import STOP_SECONDS, Server
from errata_shipper.intake.settings import IntakeSettings
from errata_shipper.intake.spool import Spool

log = logging.getLogger("errata_shipper")


class Intake:
    def __init__(
        self, settings: IntakeSettings, storage_path: Path, app_key: str, clock: SystemClock
    ) -> None:
        self.app_key = app_key
        self.port = settings.port
        self._settings = settings
        self._clock = clock
        self._notices = Notices(clock.monotonic)
        self._log_file = LogFile(storage_path, settings.sync, clock.now)
        limits = Limits(settings.keep_delivered_seconds, settings.max_size_bytes)
        self._admission = Admission(storage_path, limits, clock.now, self._notices)
        spool = Spool(self._log_file, lambda: self._admission.lack, clock, self._notices)
        self._endpoint = Endpoint(settings, lambda: self.app_key, spool, clock, self._notices)
        self._server = Server(self._endpoint, settings.max_body_bytes)

    @property
    def unanswered_count(self) -> int:
        """Requests that are on their way."""
        return self._server.unanswered_count

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Listen until the clock says stop; what was answered by then is in the log file."""
        sockets = inherited_sockets() or _listening(self._settings)
        self.port = sockets[0].getsockname()[1]
        thread = threading.Thread(target=self._run, args=(sockets,), name="errata-intake", daemon=True)
        thread.start()
        self._say_hello(sockets)
        try:
            yield
        finally:
            self._clock.stop()
            thread.join(STOP_SECONDS + 1)

    def _run(self, sockets: list[socket.socket]) -> None:
        try:
            asyncio.run(self._serve(sockets))
        finally:
            self._log_file.close()

    async def _serve(self, sockets: list[socket.socket]) -> None:
        tidying = asyncio.create_task(self._tidy())
        try:
            await self._server.serve(sockets, self._clock.stop_descriptor)
        finally:
            tidying.cancel()

    async def _tidy(self) -> None:
        while True:
            await asyncio.to_thread(self.check_space)
            await asyncio.sleep(CHECK_SECONDS)

    def check_space(self) -> None:
        try:
            self._admission.check()
        except (OSError, ShipperError) as error:
            self._notices.say(logging.ERROR, "room", f"Intake cannot read the log files: {error}")

    def _say_hello(self, sockets: list[socket.socket]) -> None:
        if not brotli_library.is_available():
            log.warning(
                "libbrotlidec is not installed, so events from Python applications with a brotli package are "
                "refused; run: apt-get install libbrotli1"
            )
        host, port = sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        reached = "<this host>" if host in ("0.0.0.0", "::") else shown
        log.info(
            "Intake listening on %s:%d; DSN: http://<application key>@%s:%d/1", shown, port, reached, port
        )


def _listening(settings: IntakeSettings) -> list[socket.socket]:
    """On every address of the host, of which one may be of a kind that this system has not."""
    sockets: list[socket.socket] = []
    refused: OSError | None = None
    try:
        for family, address in _addresses(settings):
            try:
                sockets.append(socket.create_server(address, family=family, backlog=1024))
            except OSError as error:
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                refused = error
        if not sockets and refused is not None:
            raise refused
    except OSError as error:
        for each in sockets:
            each.close()
        raise IntakeUnavailable(settings.host, settings.port, error) from error
    return sockets


def _addresses(settings: IntakeSettings) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, (str(address[0]), int(address[1]))) for family, *_, address in found))
