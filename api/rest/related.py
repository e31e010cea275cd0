"""Issues related to one."""

from datetime import UTC, datetime

from fastapi import APIRouter
from pydantic import Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.rest.issues import READ_CODES, IssueId, head_of, project_of
from api.shown import Shown
from errata.related import related_issues

router = APIRouter(tags=["issues"])


class RelatedShown(Shown):
    id: str = Field(description="16 hexadecimal digits.")
    title: str
    culprit: str
    type: str
    level: str
    reason: str = Field(description="Reason, with figures.")
    score: float = Field(description="Ranks issues within an axis; not comparable across axes.")


class AxisShown(Shown):
    axis: str = Field(
        validation_alias="name", description="same_user, same_time, similar_stack or same_release."
    )
    title: str
    rule: str = Field(description="Rule of the axis.")
    issues: list[RelatedShown]


class RelatedList(Shown):
    as_of: Moment = Field(description="Events after this time, at most five minutes, aren't considered.")
    related: list[AxisShown] = Field(validation_alias="axes")


@router.get(
    "/api/issues/{issue_id}/related",
    operation_id="related_issues",
    summary="List related issues: same users, same time, similar stack, same release",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def related(issue_id: IssueId, asking: CallerDependency, context: ContextDependency) -> RelatedList:
    """Each has its reason. For a merged issue, lists the issues related to the one it is merged into."""
    _, project_id = project_of(context, asking, issue_id)
    head = head_of(context, project_id, issue_id)
    return RelatedList.of(related_issues(context.read, head, datetime.now(UTC)))
