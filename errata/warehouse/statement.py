"""A statement: SQL text that knows its file, the tables it reads and the values of its conditions.

A file of warehouse_sql is read once. What varies stands at a place with a name, where `at` puts it:

    users.at(is_found=NAME.contains_all(words), is_meant=ALWAYS)    # where ${is_meant} … max(${is_found})
    rows.at(table="errata_raw.spans")                               # from ${table}

`Warehouse.rows` and its like bind the values, and read the published versions of the marts among its inputs.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from string import Template
from typing import Any, TypeVar

from errata.warehouse.expressions import Bindings, Expression, Value

PARAMETER = re.compile(r"\{(\w+):([^{}]+)\}")
NAMED = re.compile(r"\b(?:errata_\w+|system)\.\w+")
PLACE = re.compile(r"\$\{(\w+)\}")
CLOCK = re.compile(r"\b(now|now64|today|yesterday|rand\w*)\s*\(")
Inputs = frozenset[str]
Kind = TypeVar("Kind", bound=Expression)


class Statement(str):
    """`name` is that of its file, without one empty; `inputs` are tables and views."""

    name: str
    inputs: Inputs
    bindings: Bindings

    def __new__(
        cls, text: str, name: str = "", inputs: Inputs = Inputs(), bindings: Bindings | None = None
    ) -> "Statement":
        made = super().__new__(cls, text)
        made.name, made.inputs, made.bindings = name, inputs, bindings or Bindings()
        return made

    def at(self, **pieces: str | Expression) -> "Statement":
        """With a piece at each of its places: a condition or another expression, a statement that has no
        values, or the name of a table or column."""
        bindings, inputs, texts = Bindings(dict(self.bindings.names)), self.inputs, dict[str, str]()
        for place, piece in pieces.items():
            texts[place] = bindings.text(piece) if isinstance(piece, Expression) else piece
            if isinstance(piece, Expression | Statement):
                inputs |= piece.inputs
        # A table that is named at a place is named so among the inputs, too.
        inputs = frozenset(Template(one).substitute(texts) if "$" in one else one for one in inputs)
        return Statement(Template(self).substitute(texts), self.name, inputs, bindings)

    @property
    def values(self) -> Mapping[str, Any]:
        """Those of its conditions, by the names of their parameters."""
        return self.bindings.parameters

    def expression(self, kind: type[Kind], **values: Any) -> Kind:
        """The statement as an expression, with the values of its parameters: rows to choose from, or a
        condition."""
        given = {name: each.value for each, name in self.bindings.names.items()} | values
        text, *rest = PARAMETER.split(self)
        names, types, texts = rest[::3], rest[1::3], rest[2::3]
        bound = (Value(type_, given[name]) for name, type_ in zip(names, types, strict=True))
        parts = (text, *chain.from_iterable(zip(bound, texts, strict=True)))
        return kind(parts, inputs=self.inputs)

    @property
    def places(self) -> frozenset[str]:
        return frozenset(PLACE.findall(self))


def union_all(statements: Sequence[Statement]) -> Statement:
    """The rows of all of these, which have no values."""
    inputs = Inputs().union(*(one.inputs for one in statements))
    return Statement("\nunion all\n".join(statements), inputs=inputs)


def known(text: str) -> Statement:
    """Text as a statement. Plain text has no file, so what it reads is looked for in it: that of tests and
    analysts, and of loops over names of tables."""
    return text if isinstance(text, Statement) else _searched(text)


@lru_cache(maxsize=1024)
def _searched(text: str) -> Statement:
    clock = {"now()"} if CLOCK.search(text) else set[str]()
    return Statement(text, inputs=frozenset(clock.union(NAMED.findall(text))))
