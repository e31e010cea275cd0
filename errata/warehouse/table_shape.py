"""Gives the table of a mart the columns of its changed model, without losing rows: pages go on reading what
was built until the next build has made it anew."""

from collections.abc import Callable
from dataclasses import dataclass

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

SCRATCH = "__shape"


@dataclass(frozen=True)
class Shape:
    """`keys`: what no alteration can change. `columns`: name, type, and kind and expression of the
    default."""

    keys: tuple[str, ...]
    columns: tuple[tuple[str, str, str, str], ...]

    @property
    def names(self) -> list[str]:
        return [column[0] for column in self.columns]


def alterations(now: Shape, wanted: Shape) -> list[str] | None:
    """Clauses of `alter table` that lead from one shape to the other; None if no such clauses do: other keys,
    another type, or another order."""
    if now.keys != wanted.keys:
        return None
    kept = [column for column in wanted.columns if column[0] in now.names]
    if kept != [column for column in now.columns if column[0] in wanted.names]:
        return None
    dropped = [f"drop column {name}" for name in now.names if name not in wanted.names]
    added, before = [], ""
    for name, type_, kind, expression in wanted.columns:
        if name not in now.names:
            default = f" {kind} {expression}" if kind else ""
            added.append(f"add column {name} {type_}{default} {f'after {before}' if before else 'first'}")
        before = name
    return [*dropped, *added]


def shape_of(warehouse: Warehouse, table: str) -> Shape | None:
    """None without such a table. `table` has its database."""
    asked = dict(zip(("database", "table"), table.split("."), strict=True))
    tables = warehouse.rows(sql.build_statement("keys_of_table"), asked)
    if not tables:
        return None
    columns = warehouse.rows(sql.build_statement("columns_of_table"), asked)
    return Shape(_texts(tables[0]), tuple(map(_column, columns)))


def keep_rows(warehouse: Warehouse, file: sql.SqlFile, define: Callable[[Warehouse, str], None]) -> bool:
    """Alters the mart's table to the shape of its model. False if it cannot be, or there are no rows.
    `define` creates a table as a statement says."""
    counted = warehouse.rows(sql.build_statement("rows_of_mart"), {"mart": file.name.partition(".")[2]})
    now = shape_of(warehouse, file.name)
    if now is None or not counted[0]["row_count"]:
        return False
    scratch = f"{file.name}{SCRATCH}"
    warehouse.execute(f"drop table if exists {scratch} sync")
    define(warehouse, file.statements[0].replace(f"create table {file.name}\n", f"create table {scratch}\n"))
    wanted = shape_of(warehouse, scratch)
    warehouse.execute(f"drop table {scratch} sync")
    clauses = alterations(now, wanted) if wanted is not None else None
    if clauses is None:
        return False
    alter = sql.build_statement("alter_mart")
    for clause in clauses:
        warehouse.execute(alter.at(table=file.name, clause=clause))
    return True


def _texts(row: Row) -> tuple[str, ...]:
    return tuple(str(value) for value in row.values())


def _column(row: Row) -> tuple[str, str, str, str]:
    return row["name"], row["type"], row["default_kind"].lower(), row["default_expression"]
