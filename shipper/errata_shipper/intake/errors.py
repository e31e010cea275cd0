import errno
import os
import socket

from errata_shipper.errors import ShipperError

_REMEDIES = {
    errno.EADDRINUSE: "stop the program using this port, or choose another port",
    errno.EACCES: "choose a port above 1023",
    errno.EADDRNOTAVAIL: "use an address of this host",
}


class IntakeUnavailable(ShipperError):
    code = "intake_unavailable"

    def __init__(self, host: str, port: int, error: OSError) -> None:
        self.host = host
        self.port = port
        remedy = _REMEDIES.get(error.errno or 0, "use an address of this host, such as 127.0.0.1:8123")
        # The resolver numbers its errors otherwise; those of sockets have the address in their text too.
        is_named = isinstance(error, socket.gaierror) or error.errno is None
        what = error.strerror or str(error) if is_named else os.strerror(error.errno or 0)
        super().__init__(f"errata.intake.listen: {host}:{port}: {what}; {remedy}")
