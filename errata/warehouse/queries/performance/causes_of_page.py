"""Elements and scripts that INP, LCP and CLS of a page come from, as of the last build."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.performance.causes import PARTS, Cause
from errata.performance.filters import Filters
from errata.performance.script import OriginalFunction, is_wrapper, known_script
from errata.routes import path_of
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.performance.page_views import (
    FEWEST_TO_COMPARE,
    LOADS,
    Percentiles,
    days_of_loads,
    known_percentiles,
)
from errata.warehouse.queries.progress import last_build
from errata.warehouse.queries.source_maps.functions import original_functions
from errata.warehouse.queries.source_maps.uploads import Place

MART = "page_causes_daily"
MOST_CAUSES = 10
# Functions whose source maps are looked up: a wrapper of each build, or each handler where none is wrapped.
MOST_WRAPPED = 200
SIZE = "size_px"


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One element, with its image or the script that kept users waiting. Texts are empty where not sent."""

    metric: Cause
    element: str
    """`(other)`: beyond the 30 most frequent causes a day."""
    url: str
    invoker: str
    file: str
    function: str
    position: int
    """Character position in the file where the function begins; -1: unknown."""
    source: str
    """Original file and line of the function; empty: no source map tells."""
    load_count: int
    load_ratio: float
    """Share of the page loads that measured the vital."""
    slow_count: int
    """Page loads with a vital that isn't "good"."""
    slow_ratio: float | None
    """Share of all loads of the page above good; None: none is."""
    value: Percentiles
    """Of the vital; None under 20 loads."""
    parts: Mapping[str, Percentiles]
    """Of each known part, and `size_px` of the LCP."""
    known_count: int
    """Loads whose parts are known."""

    @property
    def is_enough(self) -> bool:
        return self.load_count >= FEWEST_TO_COMPARE


@dataclass(frozen=True, slots=True)
class CausesOfVital:
    """`load_count` page loads measured the vital, `slow_count` of them above good. Of `known_count` the parts
    are known."""

    metric: Cause
    load_count: int
    slow_count: int
    known_count: int
    cause_count: int
    rows: Sequence[CauseRow]

    @property
    def is_enough(self) -> bool:
        return self.load_count >= FEWEST_TO_COMPARE


@dataclass(frozen=True, slots=True)
class CausesOfPage:
    """Vitals that no load measured are omitted."""

    vitals: Sequence[CausesOfVital]
    as_of: datetime | None

    def shown_px(self, url: str) -> float | None:
        """Visible area of an image in CSS pixels, at p75 of the loads whose LCP it was; None: unknown. SDKs
        before 10 leave the page's own host out of `url`."""
        images = (row for vital in self.vitals if vital.metric is Cause.LCP for row in vital.rows if row.url)
        found = next((row for row in images if url in (row.url, path_of(row.url))), None)
        return found.parts[SIZE].p75 if found and SIZE in found.parts else None


def causes_of_page(
    warehouse: Warehouse, filters: Filters, page: str, limit: int = MOST_CAUSES
) -> CausesOfPage:
    """Page loads only; the causes of most loads above good first."""
    since, until = filters.range.since, filters.range.until
    asked = {
        **filters.parameters,
        "since": since,
        "until": until,
        "days_of_loads": days_of_loads(filters, since, until),
        "page": page,
    }
    wrapped = {
        Place(row["file"], row["position"])
        for row in warehouse.rows(sql.query("wrapped_scripts_of_page"), {**asked, "limit": MOST_WRAPPED})
    }
    functions = original_functions(warehouse, filters.projects, wrapped)
    named = [f"{place.url}:{place.character}" for place, found in functions.items() if not is_wrapper(found)]
    rows = warehouse.rows(sql.query("causes_of_page"), {**asked, "limit": limit, "named_scripts": named})
    functions |= original_functions(warehouse, filters.projects, {_place(row) for row in rows} - wrapped)
    vitals: dict[str, dict[int, list[Row]]] = {}
    for row in rows:
        vitals.setdefault(row["vital"], {}).setdefault(row["place"], []).append(row)
    found = [_vital(metric, vitals[metric], functions) for metric in Cause if metric in vitals]
    return CausesOfPage(found, last_build(warehouse, asked, MART, LOADS).as_of)


def _place(row: Row) -> Place:
    return Place(row["cause_file"], row["cause_position"])


def _vital(
    metric: Cause, places: Mapping[int, Sequence[Row]], functions: Mapping[Place, OriginalFunction]
) -> CausesOfVital:
    first = next(iter(places.values()))[0]
    causes = [_cause(metric, rows, functions.get(_place(rows[0]))) for rows in places.values()]
    return CausesOfVital(
        metric, first["all_views"], first["all_slow"], first["all_known"], first["cause_count"], causes
    )


def _cause(metric: Cause, rows: Sequence[Row], original: OriginalFunction | None) -> CauseRow:
    row, parts = rows[0], {each["part"]: each for each in rows}
    enough = {
        name: known_percentiles(each)
        for name, each in parts.items()
        if each["sample_count"] >= FEWEST_TO_COMPARE
    }
    script = known_script(
        row["cause_invoker"], row["cause_file"], row["cause_function"], row["cause_position"], original
    )
    last = PARTS[metric][-1] if PARTS[metric] else "value"
    return CauseRow(
        metric=metric,
        element=row["cause_element"],
        url=row["cause_url"],
        invoker=row["cause_invoker"],
        file=script.file,
        function=script.function,
        position=script.position,
        source=script.source,
        load_count=row["views"],
        load_ratio=row["views"] / row["all_views"],
        slow_count=row["slow_views"],
        slow_ratio=row["slow_views"] / row["all_slow"] if row["all_slow"] else None,
        value=enough.get("value", Percentiles()),
        parts={name: each for name, each in enough.items() if name != "value"},
        known_count=parts[last]["sample_count"] if last in parts else 0,
    )
