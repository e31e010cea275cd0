"""Conditions of a statement from the files of warehouse_sql/conditions: names are ours, values are bound."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, reduce
from string import Template
from typing import Any

from errata.warehouse import sql

NAME = re.compile(r"[a-z_]+(\.[a-z_]+)?", re.ASCII)


@cache
def _piece(name: str) -> Template:
    (statement,) = sql.parse(sql.DIRECTORY / "conditions" / f"{name}.sql").statements
    return Template(statement)


def piece(name: str, **put_in: str) -> str:
    """Of a statement, with its parameters; `put_in` are pieces themselves."""
    return _piece(name).substitute(put_in)


@dataclass
class Conditions:
    """Of one statement: each value gets a parameter of its own."""

    parameters: dict[str, Any] = field(default_factory=dict)

    def of(self, piece: str, column: str = "", **values: Any) -> str:
        """The piece with this column and these values; `column` is one of ours, never a person's."""
        if column and not NAME.fullmatch(column):
            raise ValueError(f"{column!r} is no column")
        bound = {name: self._bind(value) for name, value in values.items()}
        return _piece(piece).substitute(column=column, **bound)

    def _bind(self, value: Any) -> str:
        name = f"value_{len(self.parameters)}"
        self.parameters[name] = value
        return name


def negated(condition: str, is_negated: bool = True) -> str:
    return _piece("negated").substitute(condition=condition) if is_negated else condition


def any_of(conditions: Iterable[str]) -> str:
    """Of no condition: never."""
    parts = list(conditions)
    either = _piece("either")
    return (
        reduce(lambda left, right: either.substitute(left=left, right=right), parts)
        if parts
        else _piece("never").template
    )


def all_of(conditions: Iterable[str]) -> str:
    """Of no condition: always."""
    parts = list(conditions)
    both = _piece("both")
    return (
        reduce(lambda left, right: both.substitute(left=left, right=right), parts)
        if parts
        else _piece("always").template
    )
