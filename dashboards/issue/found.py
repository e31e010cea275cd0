"""The issue that an address names."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import HTTPException, Path

from errata.period import Period, TimeRange
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.head import IssueHead, issue_head

IssueId = Annotated[str, Path(pattern="^[0-9a-f]{1,16}$")]
NO_ISSUE = "Issue not found in your projects."


def found_head(
    warehouse: Warehouse, project_id: int, issue_id: int, period: TimeRange | None = None
) -> IssueHead:
    """Its head; without a `period`, over the last day. Raises HTTPException 404."""
    counted = period or Period("24h").of_events(datetime.now(UTC))
    head = issue_head(warehouse, project_id, issue_id, counted)
    if head is None:
        raise HTTPException(404, NO_ISSUE)
    return head
