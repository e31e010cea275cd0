"""Grouping by people: merge, unmerge, split, back to the rules, "not the same"."""

from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED, Caller, CallerDependency
from api.context import Context, ContextDependency
from api.errors import IssueNotFound
from api.membership import MOST_VARIANTS, Membership
from api.parameters import Moment
from api.problems import responses
from api.regrouping import grouping_in_force
from api.rest.issues import CHANGE_CODES, READ_CODES, Decided, IssueId, decided, project_of
from api.shown import IssueIdText, Shown, UuidText
from errata.warehouse.queries.issue.grouping import VARIANTS_SHOWN, grouping_of_issue
from errata.warehouse.queries.issue.head import project_of_issue
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.queries.vocabulary import issue_text

router = APIRouter(tags=["issues"])

MOST_MERGED = 100
IssueText = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
VariantText = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Variants = Annotated[
    list[VariantText],
    Field(min_length=1, max_length=MOST_VARIANTS, description="Variant hashes, 16 hexadecimal digits each."),
]


class MergeInto(BaseModel):
    into: IssueText = Field(description="The issue to merge into.")


class ManyInto(BaseModel):
    ids: list[IssueText] = Field(min_length=1, max_length=MOST_MERGED)
    into: IssueText = Field(description="The issue to merge into.")


class Merged(BaseModel):
    issue_id: str = Field(description="The issue they are now merged into.")
    batch_id: UUID = Field(description="For `undo`.")


class SplitOff(BaseModel):
    variants: Variants
    into: IssueText | None = Field(None, description="An existing issue; null creates a new one.")


class Given(BaseModel):
    variants: Variants


class OtherIssue(BaseModel):
    other: IssueText


class VariantShown(Shown):
    variant: IssueIdText = Field(validation_alias="variant_hash")
    own_issue_id: IssueIdText = Field(description="Its issue before merges.")
    title: str
    culprit: str
    event_count: int = Field(description="Of all time.")
    first_seen: Moment
    last_seen: Moment
    event_id: UuidText = Field(validation_alias="exemplar_id", description="Example event.")
    fingerprint: list[str]
    explanation: dict[str, Any] = Field(description="Explanation by the active rules; see docs/grouping.md.")
    placed_because: str = Field(description="Manual decision that keeps it here; empty: automatic.")
    placed_by: str
    placed_at: Moment | None


class PartShown(Shown):
    id: IssueIdText = Field(validation_alias="issue_id")
    into: IssueIdText = Field(validation_alias="parent_id", description="The issue it was merged into.")
    title: str = Field(validation_alias=AliasPath("title", "title"))
    culprit: str = Field(validation_alias=AliasPath("title", "culprit"))
    variant_count: int = Field(validation_alias=AliasPath("title", "variant_count"))
    by: Literal["person", "pipelines"]


class DuplicateShown(Shown):
    id: IssueIdText = Field(validation_alias="issue_id")
    title: str = Field(validation_alias=AliasPath("title", "title"))
    culprit: str = Field(validation_alias=AliasPath("title", "culprit"))
    score: float = Field(description="0 to 1.")
    reason: dict[str, Any]


class IssueGroupingShown(Shown):
    variants: list[VariantShown] = Field(description=f"The {VARIANTS_SHOWN} with the most events.")
    variant_count: int
    merged: list[PartShown]
    possible_duplicates: list[DuplicateShown] = Field(validation_alias="duplicates")


class Moved(BaseModel):
    issue_id: str = Field(description="The variants' current issue.")


@router.get(
    "/api/issues/{issue_id}/grouping",
    operation_id="issue_grouping",
    summary="Explain an issue's grouping: variants, merged issues, possible duplicates",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def issue_grouping(
    issue_id: IssueId, asking: CallerDependency, context: ContextDependency
) -> IssueGroupingShown:
    _, project_id = project_of(context, asking, issue_id)
    merged = merged_issue(context.read, project_id, int(issue_id, 16))
    if merged is None:
        raise IssueNotFound(issue_id)
    found = grouping_of_issue(context.read, merged, grouping_in_force(context.state, project_id))
    merged_parts = [
        PartShown.of(part, by="pipelines" if part.is_joined else "person") for part in found.parts
    ]
    return IssueGroupingShown.of(found, merged=merged_parts)


@router.post(
    "/api/issues/{issue_id}/merge",
    operation_id="merge_issue",
    summary="Merge an issue into another",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def merge(
    issue_id: IssueId, wanted: MergeInto, asking: CallerDependency, context: ContextDependency
) -> Decided:
    """Later variants of the issue are merged too, whatever the rules; `unmerge` reverts it."""
    membership, project_id = _membership(context, asking, issue_id, wanted.into)
    membership.merge([int(issue_id, 16)], int(wanted.into, 16))
    return decided(context, project_id, issue_id)


@router.post(
    "/api/projects/{slug}/issues/merge",
    operation_id="merge_issues",
    summary="Merge several issues into another",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found"),
)
def merge_many(slug: str, wanted: ManyInto, asking: CallerDependency, context: ContextDependency) -> Merged:
    """All issues or none are merged. `undo` reverts the merge completely; `unmerge` permanently removes one
    issue from it."""
    project = asking.project(context, slug)
    for text in (*wanted.ids, wanted.into):
        if project_of_issue(context.read, [project.id], int(text, 16)) is None:
            raise IssueNotFound(text)
    membership = Membership(context.state, context.warehouse, context.read, project.id, asking.actor)
    batch_id = uuid4()
    target = membership.merge(_numbers(wanted.ids), int(wanted.into, 16), batch_id)
    return Merged(issue_id=issue_text(target), batch_id=batch_id)


@router.post(
    "/api/issues/{issue_id}/unmerge",
    operation_id="unmerge_issue",
    summary="Unmerge an issue",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def unmerge(issue_id: IssueId, asking: CallerDependency, context: ContextDependency) -> Decided:
    """Permanent: neither the rules nor the pipelines merge the issues again, however they were merged."""
    membership, project_id = _membership(context, asking, issue_id)
    membership.unmerge(int(issue_id, 16))
    return decided(context, project_id, issue_id)


@router.post(
    "/api/issues/{issue_id}/split",
    operation_id="split_issue",
    summary="Split variants off into a new or existing issue",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "variant_not_found"),
)
def split(issue_id: IssueId, wanted: SplitOff, asking: CallerDependency, context: ContextDependency) -> Moved:
    others = [wanted.into] if wanted.into else []
    membership, _ = _membership(context, asking, issue_id, *others)
    into = int(wanted.into, 16) if wanted.into else None
    return Moved(issue_id=issue_text(membership.split(int(issue_id, 16), _numbers(wanted.variants), into)))


@router.post(
    "/api/issues/{issue_id}/release",
    operation_id="release_variants",
    summary="Reset manually placed variants to automatic grouping",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "variant_not_found"),
)
def release(issue_id: IssueId, given: Given, asking: CallerDependency, context: ContextDependency) -> None:
    membership, _ = _membership(context, asking, issue_id)
    membership.release(int(issue_id, 16), _numbers(given.variants))


@router.post(
    "/api/issues/{issue_id}/distinct",
    operation_id="tell_issues_apart",
    summary="Mark two issues as different",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def distinct(
    issue_id: IssueId, wanted: OtherIssue, asking: CallerDependency, context: ContextDependency
) -> None:
    """They are no longer possible duplicates, and only a person can merge them."""
    membership, _ = _membership(context, asking, issue_id, wanted.other)
    membership.tell_apart(int(issue_id, 16), int(wanted.other, 16))


def _membership(context: Context, asking: Caller, issue_id: str, *others: str) -> tuple[Membership, int]:
    _, project_id = project_of(context, asking, issue_id)
    for other in others:
        if project_of_issue(context.read, [project_id], int(other, 16)) is None:
            raise IssueNotFound(other)
    return Membership(context.state, context.warehouse, context.read, project_id, asking.actor), project_id


def _numbers(hashes: list[str]) -> list[int]:
    return [int(text, 16) for text in hashes]
