"""Decisions of people about issues: appended to a log, in force at once."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec

from errata.warehouse.client import Warehouse
from errata.warehouse.resolution import write_assignments, write_states
from errata.workflow.vocabulary import Word

TABLE = "errata_raw.issue_actions"
NIL = UUID(int=0)


@dataclass(frozen=True)
class Decision:
    """One row of the log; `about` is the action that an undo, a return or an edit of a comment refers to."""

    issue_id: int
    word: Word
    detail: Mapping[str, Any] = field(default_factory=dict)
    about: UUID = NIL
    target: int = 0
    action_id: UUID = field(default_factory=uuid.uuid4)


@dataclass(frozen=True)
class Decisions:
    """Decisions of one person or program about the issues of one project; of nobody if `actor` is empty."""

    warehouse: Warehouse
    project_id: int
    actor: str

    def append(self, decisions: Sequence[Decision], batch_id: UUID | None = None) -> UUID:
        """Appends all decisions or none; one undo takes them back together."""
        batch_id = batch_id or uuid.uuid4()
        lines = b"".join(msgspec.json.encode(self._row(each, batch_id)) + b"\n" for each in decisions)
        if lines:
            # One insert, which neither the driver's retry nor a repeated request can store twice.
            self.warehouse.insert_json_lines(TABLE, lines, token=batch_id.hex)
            self._write_through(decisions)
        return batch_id

    def _write_through(self, decisions: Sequence[Decision]) -> None:
        write_states(self.warehouse, self.project_id, {each.issue_id for each in decisions})
        cut = {each.issue_id for each in decisions if each.word in (Word.DELETE, Word.UNDO)}
        write_assignments(self.warehouse, [self.project_id], issue_ids=cut)

    def decide(self, issue_id: int, word: Word, detail: Mapping[str, Any] | None = None) -> UUID:
        return self.append([Decision(issue_id, word, detail or {})])

    def _row(self, decision: Decision, batch_id: UUID) -> dict[str, Any]:
        return {
            "project_id": self.project_id,
            "issue_id": decision.issue_id,
            "action_id": decision.action_id,
            "action": decision.word.value,
            "target_issue_id": decision.target,
            "detail": msgspec.json.encode(decision.detail).decode() if decision.detail else "",
            "actor": self.actor,
            "batch_id": batch_id,
            "about_action_id": decision.about,
        }


def batch_of(action_id: UUID, word: Word) -> UUID:
    """The batch of a decision about another one, which several nodes may find and one writes."""
    return uuid.uuid5(action_id, word.value)
