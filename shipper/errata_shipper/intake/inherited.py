"""Sockets that systemd keeps open while the shipper is restarted, so that what is sent meanwhile waits."""

import os
import socket
from collections.abc import Mapping

_FIRST_DESCRIPTOR = 3


def inherited_sockets(environment: Mapping[str, str] = os.environ) -> list[socket.socket]:
    """Those that were handed to this very process; none if it was started in another way."""
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return []
    count = int(environment.get("LISTEN_FDS", "0"))
    found = [socket.socket(fileno=_FIRST_DESCRIPTOR + number) for number in range(count)]
    for each in found:
        os.set_inheritable(each.fileno(), False)
    return found
