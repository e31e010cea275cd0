"""Uploads of source maps: plain ones, what there is, what is missing, and why a frame stays minified."""

import tempfile
from typing import IO, Annotated
from uuid import UUID

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED, CallerDependency, ManagerDependency, UploaderDependency
from api.context import Context, ContextDependency
from api.errors import EventNotFound, SourceBundleNotFound
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from api.source_uploads import SourceUploads, Stored
from errata.source_maps.bundle import read_bundle
from errata.source_maps.reasons import Reason, Unmapped
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.events import event_by_id
from errata.warehouse.queries.source_maps.listing import missing_source_maps, source_bundles

router = APIRouter(tags=["source maps"])

CODES = ("invalid_api_key", "project_not_found", "state_unavailable", "warehouse_unavailable")
PATH = "/api/projects/{slug}/sourcemaps"


class SourceBundleShown(Shown):
    bundle_id: UUID
    release: str = Field(description="Empty: files are found by debug ID only.")
    dist: str
    uploaded_at: Moment
    uploaded_by: str
    script_count: int
    map_count: int
    byte_count: int = Field(description="Uncompressed size of scripts and source maps.")
    debug_id_count: int
    variant_count: int = Field(description="Error variants that use it.")
    last_used_at: Moment | None = Field(
        description="Latest event that used it, as of the last build; null: none."
    )


class MissingSourceMapShown(Shown):
    name: str = Field(description="URL of the script.")
    debug_id: UUID | None
    release: str
    dist: str
    event_count: int = Field(
        description="Events of the last 30 days that the source map would make readable."
    )
    variant_count: int


class SourceMapsShown(BaseModel):
    uploads: list[SourceBundleShown]
    missing: list[MissingSourceMapShown]


class Uploaded(Shown):
    bundle_id: UUID
    script_count: int
    map_count: int
    byte_count: int
    is_new: bool = Field(
        description="False if the same files were already uploaded for this release and dist."
    )


class UnmappedShown(Shown):
    """A frame that is still minified."""

    url: str = Field(validation_alias=AliasPath("script", "url"))
    function: str
    line: int | None
    column: int | None
    reason: Reason
    looked_for: str
    found: str = Field(validation_alias="said")
    remedy: str


class SourceMapsOfEvent(BaseModel):
    event_id: UUID
    minified_count: int = Field(description="Frames of files that may have a source map.")
    mapped_count: int
    unmapped: list[UnmappedShown]


@router.get(
    PATH,
    operation_id="source_maps",
    summary="List uploaded and missing source maps",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def source_maps(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    release: Annotated[str, Query(max_length=250, description="Only uploads for this release.")] = "",
) -> SourceMapsShown:
    project = context.state.projects.get(asking.organization_id, slug)
    uploads, missing = both(
        lambda: source_bundles(context.read, project.id, release),
        lambda: missing_source_maps(context.read, project.id),
    )
    return SourceMapsShown(
        uploads=[SourceBundleShown.of(one) for one in uploads],
        missing=[MissingSourceMapShown.of(one) for one in missing],
    )


@router.post(
    PATH,
    operation_id="upload_source_maps",
    summary="Upload the scripts and source maps of a build",
    description="The body is a ZIP file of the build's directory, or a bundle from an upload tool.",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(
        *CODES, "forbidden", "invalid_parameter", "source_maps_unusable", "too_large", "disk_full"
    ),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload_source_maps(
    slug: str,
    request: Request,
    asking: UploaderDependency,
    context: ContextDependency,
    release: Annotated[str, Query(max_length=250, description="Release of the build.")] = "",
    dist: Annotated[str, Query(max_length=64, description="Dist of the build, if it has one.")] = "",
    prefix: Annotated[
        str, Query(max_length=500, description="URL prefix of the paths; `~` matches any host.")
    ] = "~/",
) -> Uploaded:
    project = await to_thread.run_sync(context.state.projects.get, asking.organization_id, slug)
    with tempfile.TemporaryFile() as file:
        async for part in request.stream():
            file.write(part)
        file.seek(0)
        stored = await to_thread.run_sync(
            _store,
            context,
            project.id,
            file,
            (release, dist, prefix, asking.actor),
            limiter=context.upload_limiter,
        )
    return Uploaded.of(stored)


def _store(context: Context, project_id: int, file: IO[bytes], about: tuple[str, str, str, str]) -> Stored:
    release, dist, prefix, actor = about
    context.upload_disk_limit.require([project_id])
    bundle = read_bundle(file, prefix)
    uploads = SourceUploads(context.warehouse, context.read, project_id)
    return uploads.store(bundle, release or bundle.release, dist or bundle.dist, actor)


@router.delete(
    PATH + "/{bundle_id}",
    operation_id="delete_source_maps",
    summary="Delete an upload of source maps",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CODES, "forbidden", "source_bundle_not_found"),
)
def delete_source_maps(
    slug: str, bundle_id: UUID, asking: ManagerDependency, context: ContextDependency
) -> None:
    project = context.state.projects.get(asking.organization_id, slug)
    uploads = SourceUploads(context.warehouse, context.read, project.id)
    if not uploads.delete([bundle_id]):
        raise SourceBundleNotFound


@router.get(
    "/api/projects/{slug}/events/{event_id}/sourcemaps",
    operation_id="source_maps_of_event",
    summary="Explain why frames of an event are still minified",
    dependencies=DECLARED,
    responses=responses(*CODES, "event_not_found"),
)
def source_maps_of_event(
    slug: str, event_id: UUID, asking: CallerDependency, context: ContextDependency
) -> SourceMapsOfEvent:
    project = context.state.projects.get(asking.organization_id, slug)
    event = event_by_id(context.read, [project.id], event_id)
    if event is None:
        raise EventNotFound(event_id.hex)
    mapped = event.mapped
    return SourceMapsOfEvent(
        event_id=event_id,
        minified_count=mapped.frame_count,
        mapped_count=mapped.mapped_count,
        unmapped=[_unmapped(one) for one in mapped.unmapped],
    )


def _unmapped(one: Unmapped) -> UnmappedShown:
    line, column = (one.position.line, one.position.column) if one.position else (None, None)
    return UnmappedShown.of(one, line=line, column=column)
