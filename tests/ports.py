"""Ports of this host for servers that a benchmark starts."""

import socket
import time

LISTENS_WITHIN_SECONDS = 20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, within_seconds: float = LISTENS_WITHIN_SECONDS) -> None:
    """Until something listens there."""
    deadline = time.monotonic() + within_seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
