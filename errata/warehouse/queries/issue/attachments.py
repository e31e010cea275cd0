"""Files that were sent with events and feedback."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True)
class Attachment:
    """`event_id`: of the event or the feedback that it was sent with."""

    item_id: UUID
    event_id: UUID
    filename: str
    content_type: str
    attachment_type: str
    byte_count: int

    @property
    def id(self) -> str:
        return self.item_id.hex


@dataclass(frozen=True)
class File:
    filename: str
    content: bytes


def attachments_of(
    warehouse: Warehouse, project_id: int, event_ids: Sequence[UUID]
) -> Mapping[UUID, Sequence[Attachment]]:
    """By event, then by name."""
    asked = {"project_id": project_id, "event_ids": list(event_ids)}
    rows = warehouse.rows(sql.query("attachments_listed"), asked) if event_ids else []
    found: dict[UUID, list[Attachment]] = {event_id: [] for event_id in event_ids}
    for row in rows:
        found[row["event_id"]].append(typed(Attachment, row))
    return found


def attachment_content(
    warehouse: Warehouse, projects: Sequence[int], event_id: UUID, attachment_id: UUID
) -> File | None:
    """The file, if an event of one of these projects was sent with it; else None."""
    asked = {"projects": list(projects), "event_id": event_id, "item_id": attachment_id}
    rows = warehouse.rows(sql.query("attachment_content"), asked)
    return File(rows[0]["filename"], b64decode(rows[0]["content"])) if rows else None
