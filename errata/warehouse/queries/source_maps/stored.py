"""What of an upload is stored already."""

from base64 import b64decode
from collections.abc import Collection, Sequence
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def is_whole(warehouse: Warehouse, project_id: int, bundle_id: UUID) -> bool:
    asked = {"project_id": project_id, "bundle_id": str(bundle_id)}
    return bool(warehouse.rows(sql.query("source_bundle"), asked))


def known_contents(warehouse: Warehouse, project_id: int, contents: Collection[UUID]) -> set[UUID]:
    asked = {"project_id": project_id, "content_ids": sorted(map(str, contents))}
    return {row["content_id"] for row in warehouse.rows(sql.query("known_contents"), asked)}


def missing_chunks(warehouse: Warehouse, project_id: int, checksums: Sequence[str]) -> list[str]:
    """Each once, in order."""
    asked = {"project_id": project_id, "checksums": sorted(set(checksums))}
    known = {row["checksum"] for row in warehouse.rows(sql.query("known_chunks"), asked)}
    return [one for one in dict.fromkeys(checksums) if one not in known]


def chunk(warehouse: Warehouse, project_id: int, checksum: str) -> bytes:
    """The inflated piece; empty if it is not there."""
    asked = {"project_id": project_id, "checksum": checksum}
    rows = warehouse.rows(sql.query("upload_chunk"), asked)
    return b64decode(rows[0]["content"]) if rows else b""


def chunk_count(warehouse: Warehouse, project_id: int) -> int:
    """Of one to two days, with those that were put together."""
    count: int = warehouse.rows(sql.query("chunks_kept"), {"project_id": project_id})[0]["chunk_count"]
    return count
