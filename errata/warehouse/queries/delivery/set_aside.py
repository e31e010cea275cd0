"""Rows set aside: figures that are out of date because rows of a project could not be built."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.typed_rows import typed

WHOLE_PROJECT = datetime(1970, 1, 1, tzinfo=UTC)
"""The window of a mart without windows: all its rows of a project."""
ProjectWindow = tuple[int, datetime]
"""A project, and the start of a window."""


class Asks(Protocol):
    def rows(self, statement: str, parameters: Parameters | None = None, /) -> list[Row]: ...


@dataclass(frozen=True)
class SetAside:
    """`since`: the first failed attempt, of `attempt_count` until now."""

    mart: str
    project_id: int
    window: datetime
    since: datetime
    reason: str
    message: str
    attempt_count: int
    next_attempt_at: datetime
    row_count: int
    is_due: bool

    @classmethod
    def of(cls, row: Row) -> "SetAside":
        return typed(cls, row, window=utc(row["window_start"]))

    @property
    def project_window(self) -> ProjectWindow:
        return self.project_id, self.window

    @property
    def facts(self) -> dict[str, str | int]:
        """The facts for an operator."""
        return {
            "project": self.project_id,
            "window": "all" if self.window == WHOLE_PROJECT else f"{self.window:%Y-%m-%d %H:%M}",
            "reason": self.reason,
            "message": self.message,
            "since": f"{self.since:%Y-%m-%d %H:%M}",
            "attempts": self.attempt_count,
            "next attempt": f"{self.next_attempt_at:%Y-%m-%d %H:%M}",
        }


@dataclass(frozen=True, slots=True)
class SetAsideRow:
    """Windows of a mart set aside for one reason; the first and the last are None for a mart without
    windows."""

    mart: str
    reason: str
    window_count: int
    first_window: datetime | None
    last_window: datetime | None
    since: datetime
    next_attempt_at: datetime
    attempt_count: int


def standing(warehouse: Asks, *marts: str) -> list[SetAside]:
    """Everything set aside, of the marts named or of all."""
    rows = warehouse.rows(sql.query("windows_set_aside"), {"marts": list(marts)})
    return [SetAside.of(row) for row in rows]


def set_aside_of_projects(warehouse: Warehouse, projects: Sequence[int]) -> list[SetAsideRow]:
    """Windows set aside in these projects, the longest waiting first."""
    rows = warehouse.rows(sql.query("set_aside_of_projects"), {"projects": list(projects)})
    return sorted((typed(SetAsideRow, row) for row in rows), key=lambda row: row.since)
