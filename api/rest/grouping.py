"""The grouping of a project: its configurations, previews, apply, roll back."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from api.authentication import DECLARED, Caller, CallerDependency, ManagerDependency
from api.context import Context, ContextDependency
from api.errors import NothingToRollBack
from api.parameters import Moment, WholeNumber
from api.problems import responses
from api.regrouping import Regroupings, announce_draft
from api.regrouping_shown import RegroupingShown, regrouping_shown
from api.shown import Shown
from errata.grouping import CURRENT_VERSION
from errata.grouping.fingerprint import VERSIONS
from errata.grouping.rule_text import MAX_TEXT
from errata.state.grouping import ConfigurationState

router = APIRouter(tags=["grouping"])

READ_CODES = ("invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "forbidden")

Number = Annotated[int, Path(ge=1, le=(1 << 31) - 1, description="Number of a configuration.")]


class ConfigurationShown(Shown):
    number: int
    version: int = Field(description="Version of the built-in rules.")
    rules: str = Field(description="The project's own rules, one per line.")
    state: ConfigurationState = Field(
        description="`draft`, `active`, `earlier` (replaced by a later one) or `rolled_back`."
    )
    created_at: Moment
    created_by: str
    applied_at: Moment | None
    applied_by: str


class GroupingShown(BaseModel):
    active: int
    newest_version: int
    versions: list[int]
    configurations: list[ConfigurationShown]


class Draft(BaseModel):
    version: WholeNumber = Field(CURRENT_VERSION, ge=1, le=1000, json_schema_extra={"enum": [*VERSIONS]})
    rules: str = Field("", max_length=MAX_TEXT)


@router.get(
    "/api/projects/{slug}/grouping",
    operation_id="grouping",
    summary="List current, earlier and draft grouping configurations",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def grouping(slug: str, asking: CallerDependency, context: ContextDependency) -> GroupingShown:
    project = asking.project(context, slug)
    found = context.state.grouping.of_project(project.id)
    active = next(each.number for each in found if each.state is ConfigurationState.ACTIVE)
    return GroupingShown(
        active=active,
        newest_version=CURRENT_VERSION,
        versions=sorted(VERSIONS),
        configurations=[ConfigurationShown.of(each) for each in found],
    )


@router.put(
    "/api/projects/{slug}/grouping/draft",
    operation_id="save_grouping_draft",
    summary="Save the draft of the next configuration",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "grouping_rules_not_understood", "warehouse_unavailable"),
)
def save_draft(
    slug: str, draft: Draft, asking: ManagerDependency, context: ContextDependency
) -> ConfigurationShown:
    """A project has one draft at a time. Invalid rules are refused: the message names every line."""
    project = asking.project(context, slug)
    saved = context.state.grouping.save_draft(project.id, draft.version, draft.rules, actor=asking.actor)
    announce_draft(context.warehouse, project.id, saved)
    return ConfigurationShown.of(saved)


@router.delete(
    "/api/projects/{slug}/grouping/draft",
    operation_id="discard_grouping_draft",
    summary="Delete the draft",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "warehouse_unavailable"),
)
def discard_draft(slug: str, asking: ManagerDependency, context: ContextDependency) -> None:
    project = asking.project(context, slug)
    context.state.grouping.discard_draft(project.id)
    announce_draft(context.warehouse, project.id, None)


@router.get(
    "/api/projects/{slug}/grouping/{number}/preview",
    operation_id="preview_grouping",
    summary="Preview the effect of a configuration on all events",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "grouping_configuration_not_found", "warehouse_unavailable"),
)
def preview(
    slug: str, number: Number, asking: CallerDependency, context: ContextDependency
) -> RegroupingShown:
    regroupings = _regroupings(context, asking, slug)
    return regrouping_shown(regroupings.preview(number), context.read, regroupings.project_id)


@router.post(
    "/api/projects/{slug}/grouping/{number}/apply",
    operation_id="apply_grouping",
    summary="Apply a configuration to new and stored events",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "grouping_configuration_not_found", "warehouse_unavailable"),
)
def apply(
    slug: str, number: Number, asking: ManagerDependency, context: ContextDependency
) -> RegroupingShown:
    """Issues keep their IDs, states, comments and links; manual merges and splits are kept too."""
    regroupings = _regroupings(context, asking, slug)
    return regrouping_shown(regroupings.apply(number, asking.actor), context.read, regroupings.project_id)


@router.post(
    "/api/projects/{slug}/grouping/rollback",
    operation_id="roll_back_grouping",
    summary="Roll back to the previous configuration",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "nothing_to_roll_back", "warehouse_unavailable"),
)
def roll_back(slug: str, asking: ManagerDependency, context: ContextDependency) -> RegroupingShown:
    """Every variant returns to the issue it had then; newer variants are grouped by the earlier rules."""
    regroupings = _regroupings(context, asking, slug)
    found = context.state.grouping.of_project(regroupings.project_id)
    active = next(each.number for each in found if each.state is ConfigurationState.ACTIVE)
    earlier = [
        each.number for each in found if each.state is ConfigurationState.EARLIER and each.number < active
    ]
    if not earlier:
        raise NothingToRollBack
    return regrouping_shown(
        regroupings.apply(max(earlier), asking.actor), context.read, regroupings.project_id
    )


def _regroupings(context: Context, asking: Caller, slug: str) -> Regroupings:
    project = asking.project(context, slug)
    return Regroupings(
        context.state, context.warehouse, context.read, asking.organization_id, project.slug, project.id
    )
