"""The timeline of an issue, and comments on it."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, Caller, CallerDependency, TriageDependency
from api.context import Context, ContextDependency
from api.errors import ActionNotFound, IssueNotFound
from api.parameters import Moment
from api.problems import responses
from api.rest.issue_actions import LONGEST_COMMENT
from api.rest.issues import CHANGE_CODES, READ_CODES, IssueId, project_of
from api.shown import IssueIdTextIfAny, Shown
from errata.errors import InvalidParameter
from errata.resolution.decisions import Decision, Decisions
from errata.warehouse.queries.issue.actions import Action, actions_by_id, actions_of_issue
from errata.warehouse.queries.issues.merged_issues import merged_issues
from errata.workflow.timeline import timeline
from errata.workflow.vocabulary import Word

router = APIRouter(tags=["issues"])


class EntryShown(Shown):
    action_id: UUID
    batch_id: UUID = Field(description="ID of the request that created it.")
    action: str = Field(validation_alias="word")
    words: str = Field(description="Human-readable description of what the actor did.")
    at: Moment
    actor: str = Field(description="Empty: recorded by the service itself.")
    detail: dict[str, Any]
    target_issue_id: IssueIdTextIfAny
    text: str = Field(description="Comment text, in Markdown.")
    edited_at: Moment | None
    is_deleted: bool
    can_be_undone: bool
    is_undone: bool
    undone_by: str
    undone_at: Moment | None


class Timeline(BaseModel):
    entries: list[EntryShown] = Field(description="Latest first, at most 1,000.")


class CommentText(BaseModel):
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_COMMENT, description="Markdown.")]


class CommentMade(BaseModel):
    action_id: UUID


@router.get(
    "/api/issues/{issue_id}/activity",
    operation_id="issue_activity",
    summary="List an issue's activity: decisions, regressions, comments",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def activity(issue_id: IssueId, asking: CallerDependency, context: ContextDependency) -> Timeline:
    """For an issue merged into another one, the timeline of that issue. Undone actions are marked."""
    project_id, whole = _whole(context, asking, issue_id)
    found = timeline(actions_of_issue(context.read, project_id, whole))
    return Timeline(entries=[EntryShown.of(entry) for entry in found])


@router.post(
    "/api/issues/{issue_id}/comments",
    operation_id="comment_issue",
    summary="Comment on an issue",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def comment(
    issue_id: IssueId, comment: CommentText, asking: TriageDependency, context: ContextDependency
) -> CommentMade:
    project_id, whole = _whole(context, asking, issue_id)
    return _append(context, asking, project_id, Decision(whole, Word.COMMENT, {"text": _said(comment.text)}))


@router.put(
    "/api/issues/{issue_id}/comments/{comment_id}",
    operation_id="edit_comment",
    summary="Edit your own comment",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "action_not_found"),
)
def edit_comment(
    issue_id: IssueId,
    comment_id: UUID,
    comment: CommentText,
    asking: TriageDependency,
    context: ContextDependency,
) -> CommentMade:
    project_id, own = _own_comment(context, asking, issue_id, comment_id)
    detail = {"text": _said(comment.text)}
    decision = Decision(own.issue_id, Word.EDIT_COMMENT, detail, about=own.action_id)
    return _append(context, asking, project_id, decision)


@router.delete(
    "/api/issues/{issue_id}/comments/{comment_id}",
    operation_id="delete_comment",
    summary="Delete your own comment",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "action_not_found"),
)
def delete_comment(
    issue_id: IssueId, comment_id: UUID, asking: TriageDependency, context: ContextDependency
) -> CommentMade:
    """Undo it with the `id` in the response."""
    project_id, own = _own_comment(context, asking, issue_id, comment_id)
    decision = Decision(own.issue_id, Word.DELETE_COMMENT, about=own.action_id)
    return _append(context, asking, project_id, decision)


def _whole(context: Context, asking: Caller, issue_id: str) -> tuple[int, int]:
    _, project_id = project_of(context, asking, issue_id)
    found = merged_issues(context.read, project_id, [int(issue_id, 16)])
    if not found:
        raise IssueNotFound(issue_id)
    return project_id, found[int(issue_id, 16)].issue_id


def _own_comment(context: Context, asking: Caller, issue_id: str, comment_id: UUID) -> tuple[int, Action]:
    """The caller's own comment; another's is not found: the timeline shows whose it is."""
    project_id, whole = _whole(context, asking, issue_id)
    for action in actions_by_id(context.read, project_id, [comment_id]):
        if action.word is Word.COMMENT and action.issue_id == whole and action.actor == asking.actor:
            return project_id, action
    raise ActionNotFound


def _said(text: str) -> str:
    if not text.strip():
        raise InvalidParameter("text", "enter a comment")
    return text


def _append(context: Context, asking: Caller, project_id: int, decision: Decision) -> CommentMade:
    Decisions(context.warehouse, project_id, asking.actor).append([decision])
    return CommentMade(action_id=decision.action_id)
