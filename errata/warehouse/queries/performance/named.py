"""Pages and endpoints by words of their names, as of the last build."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import Text, spaced


@dataclass(frozen=True, slots=True)
class NamedPage:
    page: str
    last_day: date


@dataclass(frozen=True, slots=True)
class NamedEndpoint:
    method: str
    route: str
    last_day: date


def pages_named(
    warehouse: Warehouse, project_id: int, words: Sequence[str], since: date, limit: int
) -> list[NamedPage]:
    """Pages whose name has all the words, letter case aside; the most viewed first."""
    statement = sql.query("pages_named").at(is_named=Text.column("page").contains_all(words))
    parameters = {"projects": [project_id], "since": since, "limit": limit}
    return [NamedPage(row["page_name"], row["last_day"]) for row in warehouse.rows(statement, parameters)]


def endpoints_named(
    warehouse: Warehouse, project_id: int, words: Sequence[str], since: date, limit: int
) -> list[NamedEndpoint]:
    """Endpoints whose method and route have all the words, letter case aside; the most called first."""
    named = spaced(Text.column("method"), Text.column("route"))
    statement = sql.query("endpoints_named").at(is_named=named.contains_all(words))
    parameters = {"projects": [project_id], "since": since, "limit": limit}
    return [
        NamedEndpoint(row["called_method"], row["called_route"], row["last_day"])
        for row in warehouse.rows(statement, parameters)
    ]
