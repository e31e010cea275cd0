"""What people decide about issues: appended to a log, in force at once."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from errata.warehouse.client import Warehouse

TABLE = "errata_raw.issue_actions"


@dataclass(frozen=True)
class Decisions:
    """Of one person or program about the issues of one project."""

    warehouse: Warehouse
    read: Warehouse
    project_id: int
    actor: str

    def decide(self, issue_id: int, action: str) -> None:
        """`action` is resolve, unresolve or ignore."""
        self._append([(issue_id, action, 0)])

    def _append(self, actions: Sequence[tuple[int, str, int]]) -> None:
        rows = [
            {
                "project_id": self.project_id,
                "issue_id": issue_id,
                "action_id": uuid.uuid4(),
                "action": action,
                "target_issue_id": target,
                "detail": "",
                "actor": self.actor,
            }
            for issue_id, action, target in actions
        ]
        lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
        # One insert, which a retry inside the driver cannot store twice.
        self.warehouse.insert_json_lines(TABLE, lines, token=uuid.uuid4().hex)
