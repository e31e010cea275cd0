"""What tells whether a run that isn't stored was expected, can still arrive, or is lost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from errata.monitors.declaration import Declarations

Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Reception:
    """`project_ids`: the projects of the organization, with whose keys hosts deliver batches. `absences`:
    when the service was away. `declarations`: those of the monitors of one project."""

    project_ids: Sequence[int] = ()
    absences: Sequence[Span] = ()
    declarations: Declarations = field(default_factory=dict)
