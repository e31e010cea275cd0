"""Notices that two shippers of one machine report to one server under one name."""

import errno
import hashlib
import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)


@contextmanager
def claimed_name(host: str, base_url: str) -> Iterator[None]:
    """Warns if another shipper has the name. It is an abstract socket: the kernel frees it however a shipper
    ends, and it needs no folder that all users may write to. Systems other than Linux have none."""
    if sys.platform != "linux":
        yield
        return
    name = hashlib.blake2b(f"{base_url}\0{host}".encode(), digest_size=16).hexdigest()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        try:
            claim.bind(f"\0errata-shipper/{name}")
        except OSError as error:
            # Where a sandbox forbids the socket, nothing is known.
            if error.errno == errno.EADDRINUSE:
                log.warning(
                    "Another shipper on this host also reports as %s; the Delivery page shows both as one "
                    "host. Set errata.instance, such as shop, in one of their configurations",
                    host,
                )
        yield
