import hashlib
from dataclasses import dataclass
from functools import cached_property

from errata_shipper.batch import Batch
from errata_shipper.report import Report


@dataclass(frozen=True)
class Payload:
    """A batch or a report, encoded for sending."""

    batch: Batch | Report
    encoding: str
    body: bytes

    @cached_property
    def batch_id(self) -> str:
        """A function of the bytes sent and their place, so that a restarted shipper repeats it."""
        # Over the encoded body: to hash the lines themselves costs as much as compressing them.
        # Names the batch and protects nothing; the other hashes are slower still.
        digest = hashlib.sha1(usedforsecurity=False)
        digest.update(self.batch.identity.encode())
        digest.update(self.body)
        return digest.hexdigest()
