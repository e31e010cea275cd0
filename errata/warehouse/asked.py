"""Statements as the warehouse is asked them, recorded for those who want to ask them again."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from errata.warehouse.statement import Statement


@dataclass(frozen=True)
class Asked:
    """A statement with all that its result depends on: parameters, settings and the `tables` sent along.

    `versions`: the condition on the rows of each mart that it reads, which the settings hold as text.
    `address`: of the servers that are asked.
    """

    statement: Statement
    parameters: dict[str, Any]
    settings: Mapping[str, Any]
    tables: "Sequence[Table]"
    user: str
    versions: Mapping[str, str] = field(default_factory=dict)
    address: str = ""


@dataclass(frozen=True)
class Table:
    """Rows sent along with a statement and read by it; `columns`: names and types, `rows` in RowBinary.

    `asked`: the statement that they are the result of; None: there are no rows.
    """

    name: str
    columns: str
    rows: bytes
    asked: Asked | None = field(default=None, compare=False, repr=False)


_RECORDING: ContextVar[list[Asked] | None] = ContextVar("recording", default=None)


@contextmanager
def recorded() -> Iterator[list[Asked]]:
    """Records the statements asked within, by any thread that works for it, in the order they are asked."""
    found: list[Asked] = []
    token = _RECORDING.set(found)
    try:
        yield found
    finally:
        _RECORDING.reset(token)


def is_recording() -> bool:
    """True: what was evaluated for earlier requests is left aside, or its statements would be missing."""
    return _RECORDING.get() is not None


def note(asked: Asked) -> None:
    if (found := _RECORDING.get()) is not None:
        found.append(asked)
