"""A project's own scrubbing rules and exceptions, and previews of changes."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.scrubbing import ProjectRules
from errata.scrubbing.preview import EVENTS, ChangeKind, preview
from errata.scrubbing.project_rules import LONGEST_RULE, MOST_RULES
from errata.warehouse.queries.issues.latest_payloads import latest_payloads

router = APIRouter(tags=["scrubbing"])

READ_CODES = ("invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "forbidden", "scrubbing_rules_not_understood")
# Scrubbed within about a second.
MOST_BYTES = 4 << 20

Entry = Annotated[str, Field(min_length=1, max_length=LONGEST_RULE)]
Entries = Annotated[list[Entry], Field(max_length=MOST_RULES)]


class ScrubbingRulesSent(BaseModel):
    filtered_names: Entries = Field([], description="Values under these names are filtered.")
    filtered_patterns: Entries = Field(
        [], description="RE2 patterns; matching text and numbers that match as a whole are filtered."
    )
    kept_names: Entries = Field([], description="Values under these names are no longer filtered by name.")
    kept_patterns: Entries = Field([], description="RE2 patterns; values that match as a whole are kept.")

    @property
    def rules(self) -> ProjectRules:
        return ProjectRules(**{name: tuple(entries) for name, entries in self.model_dump().items()})


class ScrubbingShown(Shown):
    filtered_names: list[str] = Field(validation_alias=AliasPath("rules", "filtered_names"))
    filtered_patterns: list[str] = Field(validation_alias=AliasPath("rules", "filtered_patterns"))
    kept_names: list[str] = Field(validation_alias=AliasPath("rules", "kept_names"))
    kept_patterns: list[str] = Field(validation_alias=AliasPath("rules", "kept_patterns"))
    changed_at: Moment | None = Field(description="Null: no custom rules.")
    changed_by: str


class FieldChangeShown(Shown):
    path: str = Field(
        validation_alias=AliasPath("example", "path"), description="Path in the payload; list items are `[]`."
    )
    kind: ChangeKind = Field(
        validation_alias=AliasPath("example", "kind"),
        description="`filtered`, or `kept`: previously stored as `[FILTERED]`, now stored as sent.",
    )
    event_count: int
    before: str = Field(
        validation_alias=AliasPath("example", "before"),
        description="From the newest event, cut to the changed part.",
    )
    after: str = Field(
        validation_alias=AliasPath("example", "after"),
        description="Empty if the kind is `kept`, because filtered values aren't stored.",
    )


class ScrubbingPreviewShown(Shown):
    event_count: int = Field(description=f"Number of latest error events checked, up to {EVENTS}.")
    changed_event_count: int = Field(description="Events in which something would be filtered.")
    fields: list[FieldChangeShown] = Field(description="Most frequent first.")
    field_count: int = Field(description="All fields that would change, including those not listed.")


@router.get(
    "/api/projects/{slug}/scrubbing",
    operation_id="scrubbing_rules",
    summary="Get the project's filtering rules",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def scrubbing(slug: str, asking: CallerDependency, context: ContextDependency) -> ScrubbingShown:
    return ScrubbingShown.of(context.state.scrubbing.get(asking.organization_id, slug))


@router.put(
    "/api/projects/{slug}/scrubbing",
    operation_id="replace_scrubbing_rules",
    summary="Replace the project's filtering rules",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def replace_scrubbing(
    slug: str, sent: ScrubbingRulesSent, asking: ManagerDependency, context: ContextDependency
) -> ScrubbingShown:
    """The rules apply to new events; stored events don't change."""
    stored = context.state.scrubbing.replace(asking.organization_id, slug, sent.rules, actor=asking.actor)
    return ScrubbingShown.of(stored)


@router.post(
    "/api/projects/{slug}/scrubbing/preview",
    operation_id="preview_scrubbing_rules",
    summary="Preview what rules would change in the latest events",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "warehouse_unavailable"),
)
def preview_scrubbing(
    slug: str, sent: ScrubbingRulesSent, asking: ManagerDependency, context: ContextDependency
) -> ScrubbingPreviewShown:
    """Nothing is saved. Values stored as `[FILTERED]` cannot be shown: the original is lost."""
    rules = sent.rules
    rules.require_understood()
    project = asking.project(context, slug)
    payloads = latest_payloads(context.read, project.id, EVENTS, MOST_BYTES)
    return ScrubbingPreviewShown.of(preview(payloads, rules))
