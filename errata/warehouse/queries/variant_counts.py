"""Questions that count variants: mart rows and the rows received since, as of one moment."""

from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.deletions import kept_statement


def counted_rows(
    warehouse: Warehouse, question: str, projects: Sequence[int], parameters: Parameters
) -> list[Row]:
    """The answer to the question <question>.sql."""
    return counted_rows_of(warehouse, sql.query(question), projects, parameters)


def counted_rows_of(
    warehouse: Warehouse, statement: str, projects: Sequence[int], parameters: Parameters
) -> list[Row]:
    """The answer of a statement that was put together from files of ours."""
    return warehouse.rows(kept_statement(warehouse, projects, statement), parameters)
