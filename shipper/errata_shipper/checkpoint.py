import hashlib
import os
from dataclasses import dataclass, replace

from errata_shipper.source import FIRST_LINE_BYTES, file_id_of, is_first_line_whole, machine_of

HEAD_BYTES = 1024
EDGE_BYTES = 1024


@dataclass(frozen=True)
class Checkpoint:
    """How far one file is known to be stored, and by which bytes to know that file again.

    The head is the file's first bytes, the edge those just before `offset`; both were delivered. A file
    with the same inode but another birth is another file; one with other bytes there too, or it is the
    same one emptied and filled again.
    """

    name: str
    device: int
    inode: int
    offset: int = 0
    head_bytes: int = 0
    head_hash: str = ""
    edge_bytes: int = 0
    edge_hash: str = ""
    # End of a batch that has no answer yet: it may be stored, so exactly it is sent again.
    attempted_until: int | None = None
    # Known from the moment on when the first line was read, before anything is delivered.
    file_id: str = ""
    # Of the file when it was last known to be the same.
    size: int = 0
    # None where the system does not say when a file was created.
    birth_ns: int | None = None
    # For people: when the checkpoint last moved.
    moved_at: str = ""
    # That the file was first reported under; empty in trackers of former versions.
    host: str = ""

    @property
    def key(self) -> tuple[int, int]:
        return self.device, self.inode

    def reported_host(self, host: str) -> str:
        """The host to report the file under, to the shipper of `host`: one file never has two, of which each
        would lack bytes."""
        return self.host or machine_of(host)

    def is_of(self, descriptor: int) -> bool:
        """Whether the open file still holds, before the checkpoint, what was delivered from it."""
        head = os.pread(descriptor, max(HEAD_BYTES, FIRST_LINE_BYTES), 0)
        if self.file_id and file_id_of(head) != self.file_id:
            return False
        edge = os.pread(descriptor, self.edge_bytes, self.offset - self.edge_bytes)
        return hash_of(head[: self.head_bytes]) == self.head_hash and hash_of(edge) == self.edge_hash

    def is_of_inode(self, other: "Checkpoint") -> bool:
        """Whether both are of one file, as far as the file system can tell."""
        if self.inode != other.inode:
            return False
        if self.birth_ns is not None and other.birth_ns is not None:
            return self.birth_ns == other.birth_ns
        # Device numbers may change when a machine restarts.
        return self.device == other.device or self.name == other.name

    def may_be_copied_to(self, name: str, head: bytes) -> bool:
        """Whether a file of that name, which so far begins with `head`, may be a copy of this one."""
        if self.offset == 0 or date_of(name) != date_of(self.name):
            return False
        if self.file_id and is_first_line_whole(head) and file_id_of(head) != self.file_id:
            return False
        if len(head) < self.head_bytes:
            return True
        return hash_of(head[: self.head_bytes]) == self.head_hash

    def advanced(self, offset: int, delivered: bytes, descriptor: int) -> "Checkpoint":
        """This checkpoint at `offset`; `delivered` are the last bytes before it, as they were read."""
        edge = delivered[-EDGE_BYTES:]
        # From memory, never from the disk: the file may have been emptied and filled again meanwhile.
        head = delivered[:HEAD_BYTES] if len(delivered) == offset else self._longer_head(offset, descriptor)
        return replace(
            self,
            offset=offset,
            head_bytes=len(head) if head else self.head_bytes,
            head_hash=hash_of(head) if head else self.head_hash,
            edge_bytes=len(edge),
            edge_hash=hash_of(edge),
            attempted_until=None,
        )

    def _longer_head(self, offset: int, descriptor: int) -> bytes:
        if self.head_bytes == HEAD_BYTES:
            return b""
        head = os.pread(descriptor, min(HEAD_BYTES, offset), 0)
        return head if hash_of(head[: self.head_bytes]) == self.head_hash else b""


def date_of(name: str) -> str:
    """What a log file's name begins with, whatever rotation has added to it."""
    return name[: len("errata-2026-11-21")]


def hash_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest() if content else ""
