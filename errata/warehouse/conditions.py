"""Pieces of statements, from the files of warehouse_sql/conditions."""

from functools import cache
from string import Template

from errata.warehouse import sql


@cache
def _piece(name: str) -> Template:
    (statement,) = sql.parse(sql.DIRECTORY / "conditions" / f"{name}.sql").statements
    return Template(statement)


def piece(name: str, **put_in: str) -> str:
    """Of a statement, with its parameters; `put_in` are pieces themselves."""
    return _piece(name).substitute(put_in)
