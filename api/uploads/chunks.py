"""Pieces of an upload: what the tool may send, and what it sends."""

import hashlib
import re
import zlib
from base64 import b64encode
from urllib.parse import quote, urlsplit
from uuid import uuid4

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.datastructures import UploadFile

from api.authentication import DECLARED
from api.context import Context, ContextDependency
from api.problems import responses
from api.uploads.tool import Tool, ToolDependency
from errata.errors import InvalidParameter
from errata.source_maps.bundle import LARGEST_UPLOAD, BundleUnusable
from errata.warehouse.queries.source_maps.stored import chunk_count

router = APIRouter(tags=["uploads"])

CHUNKS = "errata_raw.upload_chunks"
CHUNK_BYTES = 4 << 20
CHUNKS_A_REQUEST = 8
REQUEST_BYTES = CHUNK_BYTES * CHUNKS_A_REQUEST
# Of a project, in the one to two days that they are kept: 16 GiB.
MOST_CHUNKS_KEPT = 4_096
CODES = ("invalid_api_key", "forbidden", "state_unavailable")
_SHA1 = re.compile(r"[0-9a-f]{40}")


class ChunkOptions(BaseModel):
    url: str
    chunkSize: int  # noqa: N815
    chunksPerRequest: int  # noqa: N815
    maxRequestSize: int  # noqa: N815
    maxFileSize: int  # noqa: N815
    maxWait: int  # noqa: N815
    concurrency: int
    hashAlgorithm: str  # noqa: N815
    compression: list[str]
    accept: list[str]


@router.get(
    "/api/0/organizations/{organization}/chunk-upload/",
    operation_id="chunk_options",
    summary="Get the limits for upload tools",
    dependencies=DECLARED[:1],
    responses=responses(*CODES),
)
def chunk_options(
    organization: str, request: Request, tool: ToolDependency, context: ContextDependency
) -> ChunkOptions:
    address = _address_used(request, context.base_url)
    return ChunkOptions(
        url=f"{address}/api/0/organizations/{quote(organization)}/chunk-upload/",
        chunkSize=CHUNK_BYTES,
        chunksPerRequest=CHUNKS_A_REQUEST,
        maxRequestSize=REQUEST_BYTES,
        maxFileSize=LARGEST_UPLOAD,
        maxWait=300,
        concurrency=2,
        hashAlgorithm="sha1",
        compression=["gzip"],
        accept=["release_files", "sources", "artifact_bundles"],
    )


def _address_used(request: Request, base_url: str) -> str:
    """A build may reach the service by another address than people do. It must be whole: plugins for Vite and
    webpack send a token to no other host than theirs. Behind a proxy only `base_url` knows the scheme."""
    used = request.url
    return base_url if used.netloc == urlsplit(base_url).netloc else f"{used.scheme}://{used.netloc}"


class Received(BaseModel):
    chunks: int


@router.post(
    "/api/0/organizations/{organization}/chunk-upload/",
    operation_id="upload_chunks",
    summary="Upload chunks",
    description="A multipart form whose parts are named `file` or `file_gzip`; the file name of each is the "
    "SHA-1 of its content, inflated.",
    dependencies=DECLARED[:1],
    responses=responses(
        *CODES, "invalid_parameter", "source_maps_unusable", "too_large", "disk_full", "warehouse_unavailable"
    ),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"multipart/form-data": {"schema": {"type": "object"}}},
        }
    },
)
async def upload_chunks(
    organization: str, request: Request, tool: ToolDependency, context: ContextDependency
) -> Received:
    await to_thread.run_sync(_require_room, context, tool)
    # Parts over a megabyte are kept in temporary files while they arrive.
    async with request.form(max_files=CHUNKS_A_REQUEST, max_fields=4) as form:
        parts = [(name, part) for name, part in form.multi_items() if isinstance(part, UploadFile)]
        for name, part in parts:
            content = await part.read(CHUNK_BYTES + 1)
            await to_thread.run_sync(
                store_chunk, context, tool, name, part.filename or "", content, limiter=context.upload_limiter
            )
    return Received(chunks=len(parts))


def _require_room(context: Context, tool: Tool) -> None:
    context.upload_disk_limit.require([tool.project_id])
    if chunk_count(context.read, tool.project_id) >= MOST_CHUNKS_KEPT:
        raise BundleUnusable(
            f"The project has sent {MOST_CHUNKS_KEPT:,} upload chunks in two days; try again tomorrow"
        )


def store_chunk(context: Context, tool: Tool, kind: str, checksum: str, content: bytes) -> None:
    """Raises InvalidParameter for a piece that is not what its name says."""
    if kind not in ("file", "file_gzip"):
        raise InvalidParameter(kind[:60], "must be named file or file_gzip")
    if not _SHA1.fullmatch(checksum):
        raise InvalidParameter(kind, "its file name must be the SHA-1 of its content in hexadecimal digits")
    inflated = _inflated(content) if kind == "file_gzip" else content
    if len(inflated) > CHUNK_BYTES:
        raise InvalidParameter(checksum, f"has more than {CHUNK_BYTES:,} bytes")
    if hashlib.sha1(inflated, usedforsecurity=False).hexdigest() != checksum:
        raise InvalidParameter(checksum, "isn't the SHA-1 of the content")
    row = {
        "project_id": tool.project_id,
        "checksum": checksum,
        "encoded": b64encode(inflated).decode(),
    }
    ((shard, _),) = context.warehouse.by_shard([tool.project_id], is_writing=True)
    shard.insert_json_lines(
        CHUNKS, msgspec.json.encode(row), ("project_id", "checksum", "encoded"), token=uuid4().hex
    )


def _inflated(content: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=31)
    try:
        inflated = inflater.decompress(content, CHUNK_BYTES + 1)
    except zlib.error as error:
        raise InvalidParameter("file_gzip", "isn't compressed by gzip") from error
    if not inflater.eof and len(inflated) <= CHUNK_BYTES:
        raise InvalidParameter("file_gzip", "isn't compressed by gzip, or was cut off")
    return inflated
