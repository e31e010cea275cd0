"""What a project has sent, beside what builds have counted of it: the reason for a page without figures."""

from dataclasses import dataclass
from datetime import datetime

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True, slots=True)
class Received:
    """`is_waiting`: some arrived after the last build."""

    is_any: bool
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class DataReceived:
    loads: Received
    calls: Received
    has_releases: bool
    """Whether any page load names its release."""
    is_any: bool
    """Whether anything at all was ever received."""


def data_received(warehouse: Warehouse, project_id: int, built_through: datetime | None) -> DataReceived:
    """`built_through`: None before the first build."""
    parameters = {"project_id": project_id, "built_through": built_through or EPOCH}
    (row,) = warehouse.rows(sql.query("data_received"), parameters)
    return DataReceived(
        loads=Received(bool(row["has_loads"]), bool(row["is_waiting"])),
        calls=Received(bool(row["has_calls"]), bool(row["are_calls_waiting"])),
        has_releases=bool(row["has_releases"]),
        is_any=bool(row["is_any"]),
    )
