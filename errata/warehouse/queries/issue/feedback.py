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

ASSOCIATED = Uuid.column("associated_event_id")


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


def feedback_of_project(
    warehouse: Warehouse,
    project_id: int,
    about: MergedIssue | None = None,
    limit: int = 50,
    cursor: str = "",
) -> FeedbackPage:
    """One page of the messages; `about`: those about errors of an issue."""
    after_ms, after_id = _place(cursor) if cursor else (0, UUID(int=0))
    statement = sql.query("feedback_listed").at(is_about=_is_about(about))
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
    statement = sql.query("people_who_wrote").at(is_about=_is_about(merged))
    (row,) = warehouse.rows(statement, {"project_id": merged.project_id})
    return int(row["person_count"])


def _is_about(about: MergedIssue | None) -> Condition:
    if about is None:
        return all_of([])
    named = sql.query("errors_with_feedback").at(is_own=about.is_own)
    return ASSOCIATED.among(named.expression(Expression, project_id=about.project_id))


def _place(cursor: str) -> tuple[int, UUID]:
    at_ms, item_id = cursor_values(cursor, 2)
    try:
        place = int(at_ms), UUID(item_id)
    except ValueError as error:
        raise unknown_cursor() from error
    if not 0 <= place[0] < 1 << 53:
        raise unknown_cursor()
    return place
