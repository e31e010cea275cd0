"""X-Errata-Source: which bytes of which file of which host a request is about."""

import hashlib
import re
import socket
from dataclasses import dataclass

FIRST_LINE_BYTES = 1024


@dataclass(frozen=True)
class Source:
    host: str
    file_name: str
    file_id: str
    file_size: int

    @property
    def identity(self) -> str:
        """The same whatever the file is called by now and however far it has grown."""
        return f"{self.host}\0{self.file_id}"

    def header(self, since: int, until: int, **facts: object) -> str:
        given = {
            "host": self.host,
            "file": self.file_name,
            "id": self.file_id,
            "from": since,
            "to": until,
            "size": max(self.file_size, until),
            **facts,
        }
        return "; ".join(f"{name}={value}" for name, value in given.items() if value not in ("", None))


def host_name(instance: str | None = None) -> str:
    """This machine's name, free of what would break the header; of an instance, `web-1/shop`."""
    machine = re.sub(r"[^\w.-]", "_", socket.gethostname(), flags=re.ASCII) or "unknown"
    return f"{machine}/{instance}" if instance else machine


def machine_of(host: str) -> str:
    return host.partition("/")[0]


def file_id_of(head: bytes) -> str:
    """Names a file by its first line: whatever it is called, whoever copied it, until it is filled anew."""
    first_line = head[:FIRST_LINE_BYTES].partition(b"\n")[0]
    return hashlib.blake2b(first_line, digest_size=8).hexdigest()


def is_first_line_whole(head: bytes) -> bool:
    """Whether more content could not change the file's id."""
    return len(head) >= FIRST_LINE_BYTES or b"\n" in head
