"""How long a project keeps its data, and what that takes."""

from datetime import UTC, datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, CallerDependency, ConfirmedManagerDependency
from api.context import Context, ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.state.retention import StoredRetention
from errata.warehouse.queries.delivery.stored_kinds import StoredKind, stored_kinds
from errata.warehouse.retention import KEPT, DataKind, Retention, most_days

router = APIRouter(tags=["projects"])

CODES = ("invalid_api_key", "project_not_found", "state_unavailable", "warehouse_unavailable")


class KindShown(Shown):
    kind: DataKind
    days: int = Field(description="Number of whole days kept, by time of receipt.")
    least_days: int
    most_days: int
    row_count: int
    byte_count: int = Field(description="Size on disk, estimated by the project's share of rows.")
    daily_byte_count: int | None = Field(
        description="Growth per day over the last whole days; null until there are three."
    )


class RetentionShown(Shown):
    kinds: list[KindShown]
    changed_at: Moment | None = Field(description="Null: the service's defaults apply.")
    changed_by: str


class RetentionSent(BaseModel):
    """Days by kind of data; null: the service's default."""

    model_config = ConfigDict(extra="forbid")

    errors: int | None = None
    page_loads: int | None = None
    api_calls: int | None = None
    traces: int | None = None
    sessions: int | None = None
    replays: int | None = None
    check_ins: int | None = None
    logs: int | None = None
    feedback: int | None = None
    attachments: int | None = None

    @property
    def retention(self) -> Retention:
        given = {kind: getattr(self, kind.value) for kind in DataKind}
        return Retention(
            {kind: days for kind, days in given.items() if days is not None and days != most_days(kind)}
        )


@router.get(
    "/api/projects/{slug}/retention",
    operation_id="retention",
    summary="Get a project's retention and the size of its data",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def retention(slug: str, asking: CallerDependency, context: ContextDependency) -> RetentionShown:
    project = asking.project(context, slug)
    stored = context.state.retention.get(asking.organization_id, slug)
    return _shown(context, project.id, stored)


@router.put(
    "/api/projects/{slug}/retention",
    operation_id="change_retention",
    summary="Change a project's retention",
    dependencies=DECLARED,
    responses=responses(*CODES, "invalid_parameter", "csrf_failed", "forbidden", "password_required"),
)
def change_retention(
    slug: str, sent: RetentionSent, asking: ConfirmedManagerDependency, context: ContextDependency
) -> RetentionShown:
    """Older data is deleted within seven hours and can't be restored. Figures computed from it are kept."""
    project = asking.project(context, slug)
    stored = context.state.retention.replace(asking.organization_id, slug, sent.retention, actor=asking.actor)
    return _shown(context, project.id, stored)


def _shown(context: Context, project_id: int, stored: StoredRetention) -> RetentionShown:
    kinds = stored_kinds(context.read, project_id, datetime.now(UTC).date())
    return RetentionShown.of(stored, kinds=[_kind(each, stored.retention) for each in kinds])


def _kind(stored: StoredKind, retention: Retention) -> KindShown:
    return KindShown.of(
        stored,
        days=retention.days(stored.kind),
        least_days=KEPT[stored.kind].least_days,
        most_days=most_days(stored.kind),
    )
