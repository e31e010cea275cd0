"""Erasure of an event, an issue, a person, replays or all data of a project, with a receipt."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from api.authentication import (
    DECLARED,
    CallerDependency,
    ConfirmedManagerDependency,
    ManagerDependency,
)
from api.context import Context, ContextDependency
from api.erasures import plan
from api.erasures.receipts import ErasureShown, TableRows, receipts, shown
from api.erasures.subject import Asked, replays_of, subject_of
from api.errors import ErasureNotConfirmed, ErasureNotFound, NothingToErase
from api.problems import responses
from errata.errors import InvalidParameter
from errata.one_line import ONE_LINE
from errata.warehouse.queries.erasures.items import preview
from errata.warehouse.queries.erasures.log import (
    Kind,
    erasures,
    rebuilt_marts,
)
from errata.warehouse.queries.erasures.removal import count_project

router = APIRouter(tags=["erasures"])

CODES = (
    "invalid_parameter",
    "invalid_api_key",
    "project_not_found",
    "state_unavailable",
    "warehouse_unavailable",
)
CHANGE_CODES = (*CODES, "csrf_failed", "forbidden", "too_many_users")
Slug = Annotated[str, Path(description="Slug of the project.")]


class ErasureSubject(BaseModel):
    """Exactly one field."""

    event: str = Field(
        "",
        description="Event ID, 32 hexadecimal digits.",
        json_schema_extra={"pattern": "^([0-9a-f]{32})?$"},
        max_length=32,
    )
    issue: str = Field(
        "",
        description="Issue ID, 16 hexadecimal digits; includes everything merged into it.",
        json_schema_extra={"pattern": "^([0-9a-f]{16})?$"},
        max_length=16,
    )
    user_key: str = Field(
        "",
        description="Key of a user, as listed by `users`.",
        json_schema_extra={"pattern": "^([0-9a-f]{16})?$"},
        max_length=16,
    )
    user_id: str = Field(
        "", max_length=200, pattern=ONE_LINE, description="ID exactly as an application sent it."
    )
    email: str = Field(
        "", max_length=200, pattern=ONE_LINE, description="Email address exactly as an application sent it."
    )
    replay: str = Field(
        "",
        description="Replay ID, 32 hexadecimal digits.",
        json_schema_extra={"pattern": "^([0-9a-f]{32})?$"},
        max_length=32,
    )
    replays: str = Field(
        "",
        max_length=60,
        pattern=ONE_LINE,
        description=(
            "Time range such as `2026-11-01T00:00Z/2026-11-08T00:00Z`; erases replays with a part recorded "
            "in it."
        ),
    )
    project: str = Field(
        "", max_length=50, description="The project's slug, for everything received until now."
    )

    def asked(self, slug: str) -> Asked:
        """Raises InvalidParameter unless exactly one subject is named, well-formed."""
        given = {name: value for name in SUBJECTS if (value := getattr(self, name)) != ""}
        if len(given) != 1:
            raise InvalidParameter("subject", f"name exactly one of {', '.join(SUBJECTS)}")
        ((name, value),) = given.items()
        kind, by, digits = SUBJECTS[name]
        if digits and not (len(value) == digits and set(value) <= set("0123456789abcdef")):
            raise InvalidParameter(name, f"must be {digits} hexadecimal digits")
        if kind is Kind.PERSON and (not value.strip() or value == "0" * 16):
            raise InvalidParameter(name, "must name a person")
        if kind is Kind.REPLAYS:
            replays_of(kind, value)
        if kind is Kind.PROJECT and value != slug:
            raise InvalidParameter(name, f"must be the slug of this project, {slug}")
        return Asked(kind, by, value)


# By field: the kind, what names a person, and the count of hexadecimal digits.
SUBJECTS: dict[str, tuple[Kind, str, int]] = {
    "event": (Kind.EVENT, "", 32),
    "issue": (Kind.ISSUE, "", 16),
    "user_key": (Kind.PERSON, "key", 16),
    "user_id": (Kind.PERSON, "id", 0),
    "email": (Kind.PERSON, "email", 0),
    "replay": (Kind.REPLAY, "", 32),
    "replays": (Kind.REPLAYS, "", 0),
    "project": (Kind.PROJECT, "", 0),
}


class NewErasure(ErasureSubject):
    confirm: str = Field(max_length=200, description="The subject repeated, exactly as in its field.")


class ErasurePreview(BaseModel):
    tables: list[TableRows] = Field(description="Rows to erase, for each table that has any.")
    row_count: int
    user_count: int = Field(description="Users with this ID or email address; 0 for other subjects.")


class ErasureList(BaseModel):
    erasures: list[ErasureShown]


@router.post(
    "/api/projects/{slug}/erasures/preview",
    operation_id="preview_erasure",
    summary="Count the rows that an erasure would remove",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def preview_erasure(
    slug: Slug, subject: ErasureSubject, asking: ManagerDependency, context: ContextDependency
) -> ErasurePreview:
    """Changes nothing. The erasure also covers rows received before it starts, and copies of those rows."""
    project = asking.project(context, slug)
    return previewed(context, project.id, subject.asked(slug))


@router.post(
    "/api/projects/{slug}/erasures",
    operation_id="erase",
    summary="Erase an event, an issue, a person, replays or all data of a project",
    status_code=202,
    dependencies=DECLARED,
    responses=responses(
        *CHANGE_CODES, "password_required", "erasure_not_confirmed", "nothing_to_erase", "rows_not_stored"
    ),
)
def erase(
    slug: Slug, new: NewErasure, asking: ConfirmedManagerDependency, context: ContextDependency
) -> ErasureShown:
    """Can't be undone. Starts immediately and takes a few minutes; the receipt shows the progress. A
    signed-in owner must have confirmed their password recently."""
    project = asking.project(context, slug)
    asked = new.asked(slug)
    if new.confirm != asked.words:
        raise ErasureNotConfirmed("the subject")
    if asked.kind is not Kind.PROJECT and not previewed(context, project.id, asked).row_count:
        raise NothingToErase
    erasure = plan.ask(context, asking.organization_id, project.id, asked, asking.actor)
    return shown(erasure, [])


@router.get(
    "/api/projects/{slug}/erasures",
    operation_id="erasures",
    summary="List erasures, latest first",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def list_erasures(slug: Slug, asking: CallerDependency, context: ContextDependency) -> ErasureList:
    project = asking.project(context, slug)
    return ErasureList(erasures=receipts(context.read, project.id))


@router.get(
    "/api/projects/{slug}/erasures/{erasure_id}",
    operation_id="erasure",
    summary="Get the receipt of an erasure",
    dependencies=DECLARED,
    responses=responses(*CODES, "erasure_not_found"),
)
def get_erasure(
    slug: Slug,
    erasure_id: Annotated[UUID, Path(description="32 hexadecimal digits, or a UUID.")],
    asking: CallerDependency,
    context: ContextDependency,
) -> ErasureShown:
    project = asking.project(context, slug)
    found = erasures(context.read, [project.id], erasure_id)
    if not found:
        raise ErasureNotFound
    return shown(found[0], rebuilt_marts(context.read, [erasure_id]).get(erasure_id, ()))


def previewed(context: Context, project_id: int, asked: Asked) -> ErasurePreview:
    """Raises TooManyUsers."""
    now = datetime.now(UTC)
    if asked.kind is Kind.PROJECT:
        counts = count_project(context.read, project_id, now)
        user_count = 0
    else:
        subject = subject_of(context.read, project_id, asked)
        found = preview(context.read, project_id, subject, now) if subject is not None else []
        counts = {one.table: one.row_count for one in found}
        user_count = len(subject.users) if subject is not None else 0
    tables = [TableRows(table=table, row_count=count) for table, count in counts.items() if count]
    return ErasurePreview(tables=tables, row_count=sum(counts.values()), user_count=user_count)
