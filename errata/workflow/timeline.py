"""What happened to an issue, the latest first: its log, with comments as they read by now."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from errata.warehouse.queries.issue.actions import Action
from errata.workflow.vocabulary import BY_NOBODY, OF_MEMBERSHIP, Word
from errata.workflow.wording import sentence

# Told by the action they follow, or change.
SILENT = frozenset({Word.UNDO, Word.EDIT_COMMENT, Word.DELETE_COMMENT, Word.FOLLOW})


@dataclass(frozen=True)
class Entry:
    """`text` is that of a comment; `actor` is empty where nobody did it."""

    action_id: UUID
    batch_id: UUID
    word: Word
    at: datetime
    actor: str
    words: str
    detail: dict[str, object] = field(default_factory=dict)
    target_issue_id: int = 0
    text: str = ""
    edited_at: datetime | None = None
    is_deleted: bool = False
    is_undone: bool = False
    undone_by: str = ""
    undone_at: datetime | None = None

    @property
    def can_be_undone(self) -> bool:
        return not self.is_undone and not self.is_deleted and self.word not in OF_MEMBERSHIP

    @property
    def is_by_nobody(self) -> bool:
        return self.word in BY_NOBODY


def timeline(actions: Sequence[Action]) -> list[Entry]:
    """Of actions the latest first; what was taken back stays, and says so."""
    changes: dict[UUID, Action] = {}
    for action in actions:
        if action.word in (Word.EDIT_COMMENT, Word.DELETE_COMMENT) and not action.is_undone:
            changes.setdefault(action.about, action)
    return [_entry(action, changes.get(action.action_id)) for action in actions if action.word not in SILENT]


def _entry(action: Action, change: Action | None) -> Entry:
    is_deleted = change is not None and change.word is Word.DELETE_COMMENT
    text = str((change or action).detail.get("text", "")) if action.word is Word.COMMENT else ""
    shown = {name: value for name, value in action.detail.items() if name not in ("variants", "text")}
    return Entry(
        action_id=action.action_id,
        batch_id=action.batch_id,
        word=action.word,
        at=action.acted_at,
        actor=action.actor,
        words=sentence(action.word, action.detail),
        detail=shown,
        target_issue_id=action.target_issue_id,
        text="" if is_deleted or action.is_undone else text,
        edited_at=change.acted_at if change else None,
        is_deleted=is_deleted,
        is_undone=action.is_undone,
        undone_by=action.undone_by,
        undone_at=action.undone_at,
    )
