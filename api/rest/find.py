"""Finding by name as JSON: within a project, and among what an organization has beside projects."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.find import MOST_CHARACTERS, MOST_OF_A_KIND, Kind, find
from api.problems import responses
from api.shown import Shown

router = APIRouter(tags=["projects"])

Text = Annotated[
    str,
    Query(
        max_length=MOST_CHARACTERS,
        description="Words that a name must contain, ignoring case; empty: all destinations.",
    ),
]


class FoundShown(Shown):
    kind: Kind = Field(description="`search`: a search for the text beyond names.")
    title: str
    detail: str = Field(description="Such as the culprit of an issue; may be empty.")
    address: str = Field(description="Its page.")


class FoundList(BaseModel):
    results: list[FoundShown] = Field(description=f"By kind, at most {MOST_OF_A_KIND} of each.")


@router.get(
    "/api/projects/{slug}/find",
    operation_id="find_in_project",
    summary="Find issues, pages, endpoints and releases by name",
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "project_not_found",
        "state_unavailable",
        "warehouse_unavailable",
    ),
)
def find_in_project(
    slug: str, asking: CallerDependency, context: ContextDependency, text: Text = ""
) -> FoundList:
    """Finds issues by title, culprit, type and ID, names seen in the last 90 days, pages of Errata, and other
    projects."""
    project = asking.project(context, slug)
    found = find(context, context.state.projects.visible(asking), text, project, datetime.now(UTC))
    return FoundList(results=[FoundShown.of(one) for one in found])


@router.get(
    "/api/find",
    operation_id="find",
    summary="Find projects and pages of the organization by name",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "state_unavailable"),
)
def find_anywhere(asking: CallerDependency, context: ContextDependency, text: Text = "") -> FoundList:
    found = find(context, context.state.projects.visible(asking), text, None, datetime.now(UTC))
    return FoundList(results=[FoundShown.of(one) for one in found])
