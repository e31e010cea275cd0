"""What tells whether a check-in that isn't stored can still arrive, or is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Reception:
    """`project_ids`: the projects of the organization, with whose keys hosts deliver batches. `absences`:
    when the service was away."""

    project_ids: Sequence[int] = ()
    absences: Sequence[Span] = ()
