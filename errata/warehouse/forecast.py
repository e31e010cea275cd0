"""What an upgrade's builds will take: foretold from the size of each mart and from its own earlier builds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata.reports import formats
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import Plan


@dataclass(frozen=True)
class Forecast:
    """Of a mart that is built anew. `byte_count`: what it takes now, and once more until the build is
    published; `seconds`: None where no earlier build tells."""

    mart: str
    row_count: int
    byte_count: int
    seconds: float | None


def forecasts(warehouse: Warehouse, plan: Plan) -> list[Forecast]:
    """Of those among the plan's marts that have rows."""
    names = [file.name.partition(".")[2] for file in plan.marts]
    if plan.is_first or not names:
        return []
    rows = warehouse.rows(sql.build_statement("sizes_of_marts"), {"marts": names})
    seconds: dict[str, float] = {}
    if any(row["are_builds_recorded"] for row in rows):
        known = warehouse.rows(sql.build_statement("seconds_of_marts"), {"marts": names})
        seconds = {row["mart"]: row["seconds"] for row in known}
    return [
        Forecast(row["mart"], row["row_count"], row["byte_count"], seconds.get(row["mart"])) for row in rows
    ]


def told(files: Sequence[sql.SqlFile], found: Sequence[Forecast]) -> Iterator[str]:
    """A line for each mart, and one for all."""
    by_mart = {one.mart: one for one in found}
    for file in files:
        one = by_mart.get(file.name.partition(".")[2])
        if one is None:
            yield f"create {file.name}, and build it from the first row"
        else:
            yield f"rebuild {file.name}: {formats.count(one.row_count)} rows, {_takes(one)}"
    if found:
        known = [one.seconds for one in found if one.seconds is not None]
        yield (
            f"in total, builds take about {formats.duration(1000 * sum(known))} and need "
            f"{formats.size(sum(one.byte_count for one in found))} more disk space until they are published; "
            "pages show the previous build"
        )


def _takes(one: Forecast) -> str:
    size = f"{formats.size(one.byte_count)} more disk space until it is published"
    if one.seconds is None:
        return f"{size}; no earlier build to estimate the time from"
    return f"{size}, in about {formats.duration(1000 * one.seconds)}"
