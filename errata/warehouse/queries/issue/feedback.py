"""Messages that users wrote, the latest first, with the issues that they are about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import Condition, Expression, Uuid, all_of
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.issue.attachments import Attachment, attachments_of
from errata.warehouse.queries.issue.merged_issue import MergedIssue
from errata.warehouse.queries.membership import issues_of_variants
from errata.warehouse.typed_rows import typed

ASSOCIATED, REPLAY = Uuid.column("associated_event_id"), Uuid.column("replay_id")
ANY = all_of([])


@dataclass(frozen=True)
class Feedback:
    """`issue_id` 0: no stored error was named; `user_hash` 0: nobody was identified."""

    item_id: UUID
    occurred_at: datetime
    message: str
    user_name: str
    user_email: str
    user_hash: int
    url: str
    associated_event_id: UUID | None
    replay_id: UUID | None
    environment: str
    release: str
    issue_id: int
    attachments: Sequence[Attachment] = ()

    @property
    def id(self) -> str:
        return self.item_id.hex


@dataclass(frozen=True)
class FeedbackPage:
    messages: Sequence[Feedback]
    next_cursor: str | None


def about_errors_of(issue: MergedIssue) -> Condition:
    """The messages about errors of an issue."""
    named = sql.query("errors_with_feedback").at(is_own=issue.is_own)
    return ASSOCIATED.among(named.expression(Expression, project_id=issue.project_id))


def written_during(replay_id: UUID) -> Condition:
    """The messages that were written while a replay was recorded."""
    return REPLAY.one_of([replay_id])


def feedback_of_project(
    warehouse: Warehouse,
    project_id: int,
    is_meant: Condition = ANY,
    limit: int = 50,
    cursor: str = "",
) -> FeedbackPage:
    """One page of the messages."""
    after_ms, after_id = _place(cursor) if cursor else (0, UUID(int=0))
    statement = sql.query("feedback_listed").at(is_meant=is_meant)
    rows = warehouse.rows(
        statement,
        {
            "project_id": project_id,
            "has_cursor": bool(cursor),
            "after_ms": after_ms,
            "after_id": after_id,
            "limit": limit + 1,
        },
    )
    shown = rows[:limit]
    variants = {row["variant_hash"] for row in shown if row["variant_hash"]}
    issues = issues_of_variants(warehouse, project_id, sorted(variants)) if variants else {}
    files = attachments_of(warehouse, project_id, [row["item_id"] for row in shown])
    found = [
        typed(
            Feedback,
            row,
            issue_id=issues.get(row["variant_hash"], 0),
            attachments=files[row["item_id"]],
        )
        for row in shown
    ]
    if len(rows) <= limit:
        return FeedbackPage(found, None)
    last = found[-1]
    return FeedbackPage(found, cursor_text(round((last.occurred_at - EPOCH).total_seconds() * 1000), last.id))


def people_who_wrote(warehouse: Warehouse, merged: MergedIssue) -> int:
    """The number of people whose messages are about errors of an issue."""
    statement = sql.query("people_who_wrote").at(is_about=about_errors_of(merged))
    (row,) = warehouse.rows(statement, {"project_id": merged.project_id})
    return int(row["person_count"])


def _place(cursor: str) -> tuple[int, UUID]:
    at_ms, item_id = cursor_values(cursor, 2)
    try:
        place = int(at_ms), UUID(item_id)
    except ValueError as error:
        raise unknown_cursor() from error
    if not 0 <= place[0] < 1 << 53:
        raise unknown_cursor()
    return place
