"""Two events of an issue side by side."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import EventNotFound, IssueNotFound
from api.parameters import Moment
from api.problems import responses
from api.rest.issues import READ_CODES, IssueId, project_of
from api.shown import Shown
from errata.comparison import compared
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.events import event_of_issue
from errata.warehouse.queries.issue.merged_issue import merged_issue

router = APIRouter(tags=["issues"])


class SideShown(Shown):
    kind: str = Field(
        description=(
            "missing, null, boolean, number, text, list, object or filtered; values of different types "
            "always differ."
        )
    )
    text: str = Field(description="The value as text; empty if missing.")


class RowShown(Shown):
    path: str = Field(description="Such as `headers.referer` or `cart.items[0].sku`.")
    left: SideShown
    right: SideShown
    is_different: bool


class SectionShown(Shown):
    name: str
    title: str
    different_count: int
    rows: list[RowShown]


class ComparedEvent(Shown):
    event_id: str = Field(validation_alias="id")
    occurred_at: Moment
    environment: str
    release: str


class Comparison(BaseModel):
    left: ComparedEvent
    right: ComparedEvent
    different_count: int
    sections: list[SectionShown]


@router.get(
    "/api/issues/{issue_id}/events/compare",
    operation_id="compare_events",
    summary="Compare two events of an issue",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found", "event_not_found"),
)
def compare(
    issue_id: IssueId,
    left: Annotated[UUID, Query(description="ID of an event of the issue.")],
    right: Annotated[UUID, Query(description="ID of another event.")],
    asking: CallerDependency,
    context: ContextDependency,
    differences_only: Annotated[bool, Query(description="Omit identical rows.")] = False,
) -> Comparison:
    """Values are compared with their type: a number differs from text, and null differs from a missing
    value."""
    _, project_id = project_of(context, asking, issue_id)
    merged = merged_issue(context.read, project_id, int(issue_id, 16))
    if merged is None:
        raise IssueNotFound(issue_id)
    found = both(
        lambda: event_of_issue(context.read, merged, left),
        lambda: event_of_issue(context.read, merged, right),
    )
    events = []
    for event_id, event in zip((left, right), found, strict=True):
        if event is None:
            raise EventNotFound(event_id.hex)
        events.append(event)
    sections = [
        SectionShown.of(
            section, rows=[row for row in section.rows if row.is_different or not differences_only]
        )
        for section in compared(events[0].payload, events[1].payload)
    ]
    return Comparison(
        left=ComparedEvent.of(events[0]),
        right=ComparedEvent.of(events[1]),
        different_count=sum(section.different_count for section in sections),
        sections=sections,
    )
