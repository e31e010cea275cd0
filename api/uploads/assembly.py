"""Puts the pieces of an upload together, and stores its scripts and source maps."""

import hashlib
import tempfile
from enum import StrEnum
from typing import IO, Annotated

from anyio import to_thread
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.authentication import DECLARED
from api.context import Context, ContextDependency
from api.problems import responses
from api.source_uploads import SourceUploads
from api.uploads.chunks import CHUNK_BYTES, CODES
from api.uploads.tool import Tool, ToolDependency
from errata.source_maps.bundle import LARGEST_UPLOAD, BundleUnusable, read_bundle
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.source_maps.stored import chunk, missing_chunks

router = APIRouter(tags=["uploads"])

Sha1 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")]
MOST_CHUNKS = LARGEST_UPLOAD // CHUNK_BYTES


class State(StrEnum):
    NOT_FOUND = "not_found"
    OK = "ok"
    ERROR = "error"


class Assembly(BaseModel):
    """Other fields that tools send are ignored."""

    model_config = ConfigDict(extra="ignore")

    checksum: Sha1 = Field(description="SHA-1 of the whole upload.")
    chunks: list[Sha1] = Field(max_length=MOST_CHUNKS, description="SHA-1 of its chunks, in order.")
    projects: list[str] = []
    version: Annotated[str, StringConstraints(max_length=250)] | None = Field(
        None, description="Release; null: files are found by debug ID only."
    )
    dist: Annotated[str, StringConstraints(max_length=64)] | None = None


class Assembled(BaseModel):
    state: State = Field(description="`not_found`: send the missing chunks, then ask again.")
    missingChunks: list[str]  # noqa: N815
    detail: str | None


@router.post(
    "/api/0/organizations/{organization}/artifactbundle/assemble/",
    operation_id="assemble_bundle",
    summary="Assemble an upload from its chunks",
    dependencies=DECLARED[:1],
    responses=responses(*CODES, "invalid_parameter", "disk_full", "warehouse_unavailable"),
)
async def assemble_bundle(
    organization: str, sent: Assembly, tool: ToolDependency, context: ContextDependency
) -> Assembled:
    tool.require(sent.projects)
    missing = await to_thread.run_sync(missing_chunks, context.read, tool.project_id, sent.chunks)
    if missing:
        return Assembled(state=State.NOT_FOUND, missingChunks=missing, detail=None)
    return await to_thread.run_sync(_assemble, sent, tool, context, limiter=context.upload_limiter)


def _assemble(sent: Assembly, tool: Tool, context: Context) -> Assembled:
    context.upload_disk_limit.require([tool.project_id])
    uploads = SourceUploads(context.warehouse, context.read, tool.project_id)
    try:
        with tempfile.TemporaryFile() as file:
            _put_together(context.read, tool, sent, file)
            bundle = read_bundle(file)
            uploads.store(bundle, sent.version or bundle.release, sent.dist or bundle.dist, tool.actor)
    except BundleUnusable as error:
        return Assembled(state=State.ERROR, missingChunks=[], detail=str(error))
    return Assembled(state=State.OK, missingChunks=[], detail=None)


def _put_together(read: Warehouse, tool: Tool, sent: Assembly, file: IO[bytes]) -> None:
    whole = hashlib.sha1(usedforsecurity=False)
    for checksum in sent.chunks:
        content = chunk(read, tool.project_id, checksum)
        whole.update(content)
        file.write(content)
    if whole.hexdigest() != sent.checksum:
        raise BundleUnusable("The checksum isn't the SHA-1 of the chunks")
    file.seek(0)
