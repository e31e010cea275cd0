"""The logs of mapped variants and of decisions about issues: appended to, in force at once.

Nothing else builds their rows.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any
from uuid import UUID

import msgspec

from errata.nil import NIL
from errata.resolution.assignments import write_assignments, write_states
from errata.warehouse.client import Warehouse
from errata.workflow.vocabulary import OF_MEMBERSHIP, Word

MAPPINGS = "errata_raw.variant_issues"
DECISIONS = "errata_raw.issue_actions"
# These move variants, too.
OF_VARIANTS = OF_MEMBERSHIP | {Word.DELETE, Word.UNDO}


class Authority(IntEnum):
    """Who mapped a variant; the higher wins, then the later."""

    INGEST = 0
    PIPELINES = 1
    PERSON = 2


@dataclass(frozen=True, slots=True)
class MappedVariant:
    """One row of the log of mappings; `issue_id` 0 takes back what people mapped before."""

    variant_hash: int
    issue_id: int
    authority: Authority
    # Of the project's grouping; means nothing where a person decided.
    configuration: int = 1
    fingerprint_hash: int = 0
    fingerprint_version: int = 0
    fingerprint: Sequence[str] = ()
    explanation: str = ""

    def row(self, project_id: int, actor: str = "") -> dict[str, Any]:
        return {
            "project_id": project_id,
            "variant_hash": self.variant_hash,
            "issue_id": self.issue_id,
            "authority": self.authority.value,
            "configuration": self.configuration,
            "fingerprint_hash": self.fingerprint_hash,
            "fingerprint_version": self.fingerprint_version,
            "fingerprint": list(self.fingerprint),
            "explanation": self.explanation,
            "actor": actor,
        }


@dataclass(frozen=True)
class Decision:
    """One row of the log of decisions; `about` is the action that an undo, a return or an edit of a comment
    refers to, `target` the issue that this one is merged into."""

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
    actor: str = ""

    def append(
        self,
        decisions: Sequence[Decision] = (),
        batch_id: UUID | None = None,
        *,
        mapped: Sequence[MappedVariant] = (),
    ) -> UUID:
        """Appends mapped variants, then all decisions or none, and stores what they result in.

        One undo takes the decisions back together.
        """
        batch_id = batch_id or uuid.uuid4()
        self.warehouse.insert_rows(MAPPINGS, [each.row(self.project_id, self.actor) for each in mapped])
        # Neither the driver's retry nor a repeated request stores a batch twice.
        self.warehouse.insert_rows(DECISIONS, [self._row(each, batch_id) for each in decisions], batch_id.hex)
        moved = {each.issue_id for each in decisions if each.word in OF_VARIANTS}
        write_assignments(self.warehouse, [self.project_id], {each.variant_hash for each in mapped}, moved)
        if any(each.word not in OF_MEMBERSHIP for each in decisions):
            write_states(self.warehouse, self.project_id, {each.issue_id for each in decisions})
        return batch_id

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
