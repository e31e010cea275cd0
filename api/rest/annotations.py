"""Annotations: what people note on charts."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED, CallerDependency, SessionDependency
from api.context import ContextDependency
from api.parameters import GivenMoment, Moment, PeriodParameter
from api.problems import responses
from api.shown import Shown
from errata.one_line import NAME
from errata.period import Period
from errata.state.annotations import LONGEST_TEXT, MOST_A_PROJECT, Note
from errata.state.users import Role

router = APIRouter(tags=["annotations"])

READ_CODES = ("invalid_parameter", "invalid_api_key", "state_unavailable", "project_not_found")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "forbidden")
HERE = "/api/projects/{slug}/annotations"
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


class AnnotationGiven(BaseModel):
    text: str = Field(min_length=1, max_length=LONGEST_TEXT, pattern=NAME)
    at: GivenMoment = Field(description="At most a year ahead.")
    until: GivenMoment | None = Field(
        None, description="End of an interval, after `at`; null: a single point in time."
    )

    @property
    def note(self) -> Note:
        return Note(self.text, self.at, self.until)


class AnnotationShown(Shown):
    id: str
    text: str = Field(validation_alias=AliasPath("note", "text"))
    at: Moment = Field(validation_alias=AliasPath("note", "at"))
    until: Moment | None = Field(
        validation_alias=AliasPath("note", "until"),
        description="End of an interval; null: a single point in time.",
    )
    author: str = Field(description="Email address.")
    created_at: Moment
    changed_at: Moment


class AnnotationList(BaseModel):
    annotations: list[AnnotationShown]


@router.get(
    HERE,
    operation_id="annotations",
    summary="List annotations of charts",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def annotations(
    slug: str, asking: CallerDependency, context: ContextDependency, period: PeriodParameter = Period("90d")
) -> AnnotationList:
    """Annotations within the period, in order of time. A period that ends now also includes future ones."""
    chosen = period.of_events(datetime.now(UTC))
    found = context.state.annotations.of_project(asking.organization_id, slug, chosen.since, chosen.until)
    return AnnotationList(annotations=[AnnotationShown.of(each) for each in found])


@router.post(
    HERE,
    operation_id="create_annotation",
    summary="Annotate charts",
    dependencies=DECLARED,
    status_code=201,
    responses=responses(*CHANGE_CODES),
    description=f"At most {MOST_A_PROJECT} per project. Not available with an API key.",
)
def create(
    slug: str, given: AnnotationGiven, session: SessionDependency, context: ContextDependency
) -> AnnotationShown:
    made = context.state.annotations.write(session.organization_id, slug, session.user_id, given.note)
    return AnnotationShown.of(made)


@router.put(
    HERE + "/{annotation_id}",
    operation_id="change_annotation",
    summary="Change an annotation",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "annotation_not_found"),
)
def change(
    slug: str,
    annotation_id: Id,
    given: AnnotationGiven,
    session: SessionDependency,
    context: ContextDependency,
) -> AnnotationShown:
    """You can change your own; owners can change any. Not available with an API key."""
    changed = context.state.annotations.change(
        session.organization_id,
        slug,
        session.user_id,
        annotation_id,
        given.note,
        is_owner=session.role is Role.OWNER,
    )
    return AnnotationShown.of(changed)


@router.delete(
    HERE + "/{annotation_id}",
    operation_id="delete_annotation",
    summary="Delete an annotation",
    dependencies=DECLARED,
    status_code=204,
    response_class=Response,
    responses=responses(*CHANGE_CODES, "annotation_not_found"),
)
def delete(slug: str, annotation_id: Id, session: SessionDependency, context: ContextDependency) -> Response:
    """You can delete your own; owners can delete any. Not available with an API key."""
    context.state.annotations.delete(
        session.organization_id, slug, session.user_id, annotation_id, is_owner=session.role is Role.OWNER
    )
    return Response(status_code=204)
