"""Questions that count variants: mart rows plus rows received since, as of one moment."""

from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.deletions import kept_statement


def counted_rows(
    warehouse: Warehouse, question: str, projects: Sequence[int], parameters: Parameters
) -> list[Row]:
    """Rows of the question <question>.sql."""
    return counted_rows_of(warehouse, sql.query(question), projects, parameters)


def counted_rows_of(
    warehouse: Warehouse, statement: str, projects: Sequence[int], parameters: Parameters
) -> list[Row]:
    """Rows of a statement composed of our files."""
    return warehouse.rows(kept_statement(warehouse, projects, statement), parameters)
