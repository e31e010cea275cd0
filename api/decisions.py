"""What people decide about issues: appended to a log, in force at once."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from errata.errors import InvalidParameter
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue import merges_of_project
from errata.warehouse.queries.issues import issue_text

TABLE = "errata_raw.issue_actions"


@dataclass(frozen=True)
class Decisions:
    """Of one person or program about the issues of one project."""

    warehouse: Warehouse
    read: Warehouse
    project_id: int
    actor: str

    def decide(self, issue_id: int, action: str) -> None:
        """`action` is resolve, unresolve, ignore or unmerge."""
        self._append([(issue_id, action, 0)])

    def merge(self, issue_id: int, into: int) -> int:
        """Makes an issue, and what was merged into it, part of another one; the issue they end in."""
        merges = merges_of_project(self.read, self.project_id)
        target = merges.get(into, into)
        if target == issue_id:
            raise InvalidParameter("into", f"{issue_text(into)} is this issue, or part of it already")
        # Readers follow a merge one step: what was part of this issue moves along.
        moved = [part for part, whole in merges.items() if whole == issue_id]
        self._append([(part, "merge", target) for part in [*moved, issue_id]])
        return target

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
