"""One line of a batch, decoded and routed to its project."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Item:
    """An accepted item. `payload` is scrubbed and decoded JSON; `binary` is set instead for binary payloads."""

    project_id: int
    service: str
    type: str
    headers: dict[str, Any]
    payload: dict[str, Any]
    binary: bytes
    logged_at: datetime | None
    content_id: UUID
    """Hash of project, type and payload bytes as sent: the id of an item whose type names none."""


Rows = dict[str, list[dict[str, Any]]]
"""Rows to insert by table name, e.g. {"errata_raw.page_views": [{…}]}, values ready for JSONEachRow."""
