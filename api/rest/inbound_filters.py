"""A project's inbound filters, and previews of changes on the events of the last week."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter
from pydantic import AliasPath, BaseModel, ConfigDict, Field

from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.shown import IssueIdText, Shown
from errata.filters import FILTERS, ProjectFilters
from errata.filters.globs import LONGEST_ENTRY
from errata.filters.preview import MOST_ISSUES, preview
from errata.filters.project_filters import MOST_ENTRIES
from errata.warehouse.queries.issue.grouping import titles_of
from errata.warehouse.queries.issues.sampled_events import SAMPLE, sampled_events

router = APIRouter(tags=["inbound filters"])

READ_CODES = ("invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "forbidden")
PREVIEWED_DAYS = 7

Entry = Annotated[str, Field(min_length=1, max_length=LONGEST_ENTRY)]
Entries = Annotated[list[Entry], Field(max_length=MOST_ENTRIES)]


class InboundFiltersSent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    filters: dict[str, Entries] = Field(
        description="The enabled filters by kind, each with its entries; others are off. Kinds: "
        + ", ".join(f"`{kind}`" for kind in FILTERS)
        + ".",
        max_length=len(FILTERS),
        examples=[{"web-crawlers": [], "error-message": ["*ResizeObserver loop*"]}],
    )

    @property
    def chosen(self) -> ProjectFilters:
        return ProjectFilters({kind: tuple(entries) for kind, entries in self.filters.items()})


class InboundFiltersShown(Shown):
    filters: dict[str, list[str]] = Field(
        validation_alias=AliasPath("filters", "on"),
        description="The enabled filters, each with its entries.",
    )
    changed_at: Moment | None = Field(description="Null: no filter is on.")
    changed_by: str


class FilteredIssueShown(Shown):
    issue_id: IssueIdText = Field(description="16 hexadecimal digits.")
    title: str
    event_count: int = Field(description="Number among the checked events.")
    filtered_event_count: int = Field(validation_alias="filtered_count")
    kinds: list[str] = Field(description="The filters that match events of this issue.")


class FiltersPreviewShown(Shown):
    since: Moment = Field(description=f"{PREVIEWED_DAYS} days ago.")
    stored_event_count: int = Field(
        description="Error events received since then, including repeated deliveries."
    )
    event_count: int = Field(
        description=f"Error events that were checked: all, or a random sample of about {SAMPLE}."
    )
    is_sample: bool = Field(description="Whether only a sample was checked, so that shares are estimates.")
    filtered_event_count: int = Field(validation_alias="filtered_count")
    kinds: dict[str, int] = Field(description="Events by the first filter that matches.")
    issues: list[FilteredIssueShown] = Field(
        description=f"Issues that would lose the most events, up to {MOST_ISSUES}."
    )
    issue_count: int = Field(description="All issues that would lose events, including those not listed.")


@router.get(
    "/api/projects/{slug}/inbound-filters",
    operation_id="inbound_filters",
    summary="Get the project's inbound filters",
    dependencies=DECLARED,
    responses=responses(*READ_CODES),
)
def inbound_filters(slug: str, asking: CallerDependency, context: ContextDependency) -> InboundFiltersShown:
    return InboundFiltersShown.of(context.state.inbound_filters.get(asking.organization_id, slug))


@router.put(
    "/api/projects/{slug}/inbound-filters",
    operation_id="replace_inbound_filters",
    summary="Replace the project's inbound filters",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def replace_inbound_filters(
    slug: str, sent: InboundFiltersSent, asking: ManagerDependency, context: ContextDependency
) -> InboundFiltersShown:
    """The filters apply to new events; stored events are kept."""
    stored = context.state.inbound_filters.replace(
        asking.organization_id, slug, sent.chosen, actor=asking.actor
    )
    return InboundFiltersShown.of(stored)


@router.post(
    "/api/projects/{slug}/inbound-filters/preview",
    operation_id="preview_inbound_filters",
    summary="Preview which events of the last week the filters would have dropped",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "warehouse_unavailable"),
)
def preview_inbound_filters(
    slug: str, sent: InboundFiltersSent, asking: ManagerDependency, context: ContextDependency
) -> FiltersPreviewShown:
    """Nothing is saved. Covers error events only, since page loads and calls aren't stored as sent."""
    chosen = sent.chosen
    chosen.require_understood()
    project = asking.project(context, slug)
    since = datetime.now(UTC) - timedelta(days=PREVIEWED_DAYS)
    sample = sampled_events(context.read, project.id, since)
    found = preview(sample.events, chosen)
    titles = titles_of(context.read, project.id, {issue.issue_id for issue in found.issues})
    return FiltersPreviewShown.of(
        found,
        since=since,
        stored_event_count=sample.row_count,
        is_sample=sample.is_part,
        issues=[
            FilteredIssueShown.of(
                issue, title=titles[issue.issue_id].title if issue.issue_id in titles else ""
            )
            for issue in found.issues
        ],
    )
