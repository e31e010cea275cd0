import hashlib
import os
from dataclasses import dataclass, replace

HEAD_BYTES = 1024
EDGE_BYTES = 1024


@dataclass(frozen=True)
class Checkpoint:
    """How far one file is known to be stored, and by which bytes to know that file again.

    The head is the file's first bytes, the edge those just before `offset`; both were delivered. A file
    with the same inode but other bytes there is another file, or the same one emptied and filled again.
    """

    name: str
    device: int
    inode: int
    offset: int = 0
    head_bytes: int = 0
    head_hash: str = ""
    edge_bytes: int = 0
    edge_hash: str = ""
    # End of a batch whose answer never came: it may be stored, so exactly it is sent again.
    attempted_until: int | None = None
    file_id: str = ""
    # Of the file when it was last known to be the same.
    size: int = 0

    @property
    def key(self) -> tuple[int, int]:
        return self.device, self.inode

    def is_of(self, descriptor: int) -> bool:
        """Whether the open file still holds, before the checkpoint, what was delivered from it."""
        head = os.pread(descriptor, self.head_bytes, 0)
        edge = os.pread(descriptor, self.edge_bytes, self.offset - self.edge_bytes)
        return hash_of(head) == self.head_hash and hash_of(edge) == self.edge_hash

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


def hash_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest() if content else ""
