"""Decisions about one or many issues, and undo."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.authentication import DECLARED, Caller, CallerDependency, TriageDependency
from api.context import Context, ContextDependency
from api.errors import Forbidden
from api.membership import Membership
from api.parameters import WRITTEN_OUT, GivenPeriod, WholeNumber
from api.problems import responses
from api.rest.issues import CHANGE_CODES
from api.workflow import MOST_ISSUES, Made, Workflow, again
from errata.errors import InvalidParameter
from errata.period import Period
from errata.warehouse.queries.issue.actions import actions_of_batch
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort, Status, issue_text
from errata.workflow.vocabulary import Word

router = APIRouter(tags=["issues"])

LONGEST_COMMENT = 10_000
IssueText = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Condition(Strict):
    """When an ignored issue returns: events are counted from the time it was ignored or, with a window, over
    the last minutes."""

    kind: Literal["events", "users", "escalating"]
    count: WholeNumber = Field(0, ge=0, le=1_000_000_000, description="At least 1, except for `escalating`.")
    window_minutes: WholeNumber = Field(0, ge=0, le=10_080, description="0: no window.")

    @model_validator(mode="after")
    def _has_a_count(self) -> "Condition":
        if (self.kind == "escalating") != (self.count == 0):
            raise ValueError("events and users need a count; escalating has none")
        if self.kind == "escalating" and self.window_minutes:
            raise ValueError("escalating has no window; it is measured by the hour")
        return self


class Detail(Strict):
    """Fields of an action: `in` and `release` for `resolve`, `until` or `condition` for `ignore`, and so
    on."""

    in_: Literal["now", "next", "release"] | None = Field(None, alias="in")
    release: str | None = Field(None, min_length=1, max_length=250)
    until: Annotated[datetime, WRITTEN_OUT] | None = None
    condition: Condition | None = None
    assignee: str | None = Field(None, max_length=320, description="Email address of a member.")
    priority: Literal["high", "medium", "low", ""] | None = Field(None, description="Empty: computed.")
    text: str | None = Field(None, min_length=1, max_length=LONGEST_COMMENT, description="Markdown.")


TAKES: dict[Word, frozenset[str]] = {
    Word.RESOLVE: frozenset({"in_", "release"}),
    Word.UNRESOLVE: frozenset(),
    Word.IGNORE: frozenset({"until", "condition"}),
    Word.ASSIGN: frozenset({"assignee"}),
    Word.UNASSIGN: frozenset(),
    Word.PRIORITIZE: frozenset({"priority"}),
    Word.COMMENT: frozenset({"text"}),
    Word.DELETE: frozenset(),
}
ActionName = Literal[
    "resolve", "unresolve", "ignore", "assign", "unassign", "prioritize", "comment", "delete"
]


class Matching(Strict):
    """The issues that the list shows for these filters."""

    query: str = Field("", max_length=2000)
    status: Status | None = None
    environment: str = Field("", max_length=64)
    release: str = Field("", max_length=250)
    period: GivenPeriod = Period("14d")


class Wanted(Strict):
    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": ["ids"],
                    "properties": {"ids": {"minItems": 1}, "matching": {"type": "null"}},
                },
                {
                    "required": ["matching"],
                    "properties": {"ids": {"maxItems": 0}, "matching": {"type": "object"}},
                },
            ]
        }
    )

    ids: list[IssueText] = Field([], max_length=MOST_ISSUES)
    matching: Matching | None = Field(
        None, description=f"Instead of IDs: all matching issues, at most {MOST_ISSUES:,}."
    )
    action: ActionName
    detail: Detail = Detail()  # type: ignore[call-arg]
    batch_id: UUID | None = Field(
        None, description="A UUID of your choice; repeating a request with the same UUID has no effect."
    )

    @model_validator(mode="after")
    def _names_issues_one_way(self) -> "Wanted":
        if bool(self.ids) == (self.matching is not None):
            raise ValueError("give either ids or matching")
        return self


class Undone(Strict):
    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": ["action_ids"],
                    "properties": {"action_ids": {"minItems": 1}, "batch_id": {"type": "null"}},
                },
                {
                    "required": ["batch_id"],
                    "properties": {"action_ids": {"maxItems": 0}, "batch_id": {"type": "string"}},
                },
            ]
        }
    )

    batch_id: UUID | None = None
    action_ids: list[UUID] = Field([], max_length=MOST_ISSUES)

    @model_validator(mode="after")
    def _names_actions_one_way(self) -> "Undone":
        if bool(self.action_ids) == (self.batch_id is not None):
            raise ValueError("give either batch_id or action_ids")
        return self


class ActionsMade(BaseModel):
    batch_id: UUID = Field(description="For `undo`.")
    count: int
    ids: list[str] = Field(description="The issues; for a merged issue, the one it was merged into.")
    action_ids: list[UUID]

    @classmethod
    def of(cls, made: Made) -> "ActionsMade":
        return cls(
            batch_id=made.batch_id,
            count=len(made.decisions),
            ids=[issue_text(decision.issue_id) for decision in made.decisions],
            action_ids=[decision.action_id for decision in made.decisions],
        )


@router.post(
    "/api/projects/{slug}/issues/actions",
    operation_id="act_on_issues",
    summary="Resolve, ignore, assign, prioritize, comment or delete issues",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found"),
)
def act(slug: str, wanted: Wanted, asking: TriageDependency, context: ContextDependency) -> ActionsMade:
    """All actions or none are applied, immediately. IDs of other projects aren't found."""
    project = asking.project(context, slug)
    word = Word(wanted.action)
    if word is Word.DELETE and asking.capabilities is not None:
        raise Forbidden("a person or the API key; access tokens delete nothing")
    detail = checked_detail(context, asking, word, wanted.detail)
    ids = [int(each, 16) for each in wanted.ids]
    if wanted.matching is not None:
        ids = _matching(context, project.id, wanted.matching, asking)
    workflow = Workflow(context.warehouse, context.read, project.id, asking.actor)
    return ActionsMade.of(workflow.act(ids, word, detail, wanted.batch_id))


@router.post(
    "/api/projects/{slug}/issues/undo",
    operation_id="undo_issue_actions",
    summary="Undo actions",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "project_not_found", "action_not_found", "decided_since"),
)
def undo(slug: str, wanted: Undone, asking: CallerDependency, context: ContextDependency) -> ActionsMade:
    """All actions or none are undone. Actions that are already undone don't change. Undoing a merge reverts
    it completely."""
    project = asking.project(context, slug)
    if wanted.batch_id and _is_merge(context, project.id, wanted.batch_id):
        membership = Membership(context.state, context.warehouse, context.read, project.id, asking.actor)
        undone = membership.take_merge_back(wanted.batch_id)
        return ActionsMade.of(Made(wanted.batch_id, [again(action) for action in undone]))
    workflow = Workflow(context.warehouse, context.read, project.id, asking.actor)
    return ActionsMade.of(workflow.undo(wanted.action_ids, wanted.batch_id))


def _is_merge(context: Context, project_id: int, batch_id: UUID) -> bool:
    made = actions_of_batch(context.read, project_id, batch_id)
    return any(action.word is Word.MERGE for action in made)


def checked_detail(context: Context, asking: Caller, word: Word, detail: Detail) -> dict[str, Any]:
    """The details for the log. Raises InvalidParameter for missing and unexpected fields."""
    given = {name for name in Detail.model_fields if getattr(detail, name) is not None}
    for name in sorted(given - TAKES[word]):
        raise InvalidParameter(f"detail.{name.rstrip('_')}", f"not a field of {word.value}")
    match word:
        case Word.RESOLVE:
            return _resolution(detail)
        case Word.IGNORE:
            return _ignoring(detail)
        case Word.ASSIGN:
            return {"assignee": _member(context, asking, detail.assignee)}
        case Word.PRIORITIZE:
            if detail.priority is None:
                raise InvalidParameter("detail.priority", "high, medium, low, or empty")
            return {"priority": detail.priority}
        case Word.COMMENT:
            if not (detail.text or "").strip():
                raise InvalidParameter("detail.text", "enter a comment")
            return {"text": detail.text}
    return {}


def _resolution(detail: Detail) -> dict[str, Any]:
    how = detail.in_ or "now"
    if (how == "release") != (detail.release is not None):
        raise InvalidParameter("detail.release", "required with in: release, and only then")
    return {"in": how, **({"release": detail.release} if detail.release else {})}


def _ignoring(detail: Detail) -> dict[str, Any]:
    if detail.until and detail.condition:
        raise InvalidParameter("detail", "give either until or condition, not both")
    if detail.until:
        moment = detail.until if detail.until.tzinfo else detail.until.replace(tzinfo=UTC)
        if moment <= datetime.now(UTC):
            raise InvalidParameter("detail.until", "a future time")
        return {"until": moment.astimezone(UTC).isoformat(timespec="seconds")}
    return {"condition": detail.condition.model_dump(exclude_defaults=True)} if detail.condition else {}


def _member(context: Context, asking: Caller, email: str | None) -> str:
    people = context.state.users.of_organization(asking.organization_id, asking.project_ids)
    known = {person.email for person in people}
    wanted = (email or "").strip().casefold()
    if wanted not in known:
        raise InvalidParameter("detail.assignee", "the email address of a member of the organization")
    return wanted


def _matching(context: Context, project_id: int, matching: Matching, asking: Caller) -> list[int]:
    filters = IssueFilters(
        matching.period.of_events(datetime.now(UTC)),
        matching.environment,
        matching.release,
        matching.status,
        matching.query,
        asking.session.email if asking.session else "",
        lambda: context.state.tracker_links.issue_ids(asking.organization_id, project_id),
    )
    found = issues_of_project(context.read, project_id, filters, Sort.LAST_SEEN, MOST_ISSUES)
    if found.next_cursor:
        raise InvalidParameter("matching", f"more than {MOST_ISSUES:,} issues match; narrow the search")
    if not found.issues:
        raise InvalidParameter("matching", "no matching issues")
    return [issue.issue_id for issue in found.issues]
