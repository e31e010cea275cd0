import hashlib
from dataclasses import dataclass
from functools import cached_property

from errata_shipper.batch import Batch


@dataclass(frozen=True)
class Parcel:
    """A batch as it is sent."""

    batch: Batch
    encoding: str
    body: bytes

    @cached_property
    def batch_id(self) -> str:
        """A function of what is sent and where it stood, so that a restarted shipper repeats it."""
        # Over the encoded body: to hash the lines themselves costs as much as compressing them.
        # Names the batch and protects nothing; the other hashes are slower still.
        digest = hashlib.sha1(usedforsecurity=False)
        batch = self.batch
        digest.update(f"{batch.host}\0{batch.file_key}\0{batch.since}\0{batch.until}\0".encode())
        digest.update(self.body)
        return digest.hexdigest()
