import hashlib
from dataclasses import dataclass
from functools import cached_property

from errata_shipper.batch import Batch
from errata_shipper.report import Report


@dataclass(frozen=True)
class Parcel:
    """A batch, or a report, as it is sent."""

    batch: Batch | Report
    encoding: str
    body: bytes

    @cached_property
    def batch_id(self) -> str:
        """A function of what is sent and where it stood, so that a restarted shipper repeats it."""
        # Over the encoded body: to hash the lines themselves costs as much as compressing them.
        # Names the batch and protects nothing; the other hashes are slower still.
        digest = hashlib.sha1(usedforsecurity=False)
        digest.update(self.batch.identity.encode())
        digest.update(self.body)
        return digest.hexdigest()
