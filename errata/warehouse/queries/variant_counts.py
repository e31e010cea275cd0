"""Questions that count variants: mart rows and the rows received since, as of one moment."""

from collections.abc import Sequence
from datetime import datetime

from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.deletions import kept_statement
from errata.warehouse.queries.steady import steady_rows


def counted_rows(
    warehouse: Warehouse, question: str, projects: Sequence[int], since: datetime, parameters: Parameters
) -> list[Row]:
    """The answer of warehouse_sql/queries/<question>.sql, whatever builds do meanwhile."""
    return counted_rows_of(warehouse, sql.query(question), projects, since, parameters)


def counted_rows_of(
    warehouse: Warehouse, statement: str, projects: Sequence[int], since: datetime, parameters: Parameters
) -> list[Row]:
    """The answer of a statement that was put together from files of ours."""
    return steady_rows(
        warehouse,
        kept_statement(warehouse, projects, statement),
        parameters,
        sql.query("variant_counts_version"),
        {"projects": list(projects), "since": since},
    )
