"""Ports of this machine."""

import errno
import socket

from errata.errors import ErrataError

LOOPBACK = "127.0.0.1"


class PortUnusable(ErrataError):
    """No program of ours can listen there."""

    code = "port_unusable"
    is_final = True

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"Can't listen at {host}:{port}: {reason}")
        self.host = host
        self.port = port


def free_port(preferred: int = 0) -> int:
    """`preferred` if nobody listens there, else one the system chooses."""
    if preferred and _refusal(LOOPBACK, preferred) is None:
        return preferred
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def require_free(port: int, host: str = LOOPBACK) -> None:
    """Raises PortUnusable."""
    error = _refusal(host, port)
    if error is None:
        return
    if error.errno == errno.EADDRINUSE:
        reason = "another program is using the port. Stop it, or choose another with `--port`"
    else:
        reason = f"{error.strerror or error}. Choose another host or port"
    raise PortUnusable(host, port, reason)


def _refusal(host: str, port: int) -> OSError | None:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error
    except OverflowError:
        return OSError(errno.EINVAL, "a port is at most 65535")
    return None
