"""Real page loads with all their files: every load of a period, or an even sample of many."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from errata.performance.causes import PARTS, Cause, LoadCause
from errata.performance.filters import Filters
from errata.performance.script import OriginalFunction, known_script
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.late_rows import PART_WAITS
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.source_maps.functions import original_functions
from errata.warehouse.queries.source_maps.uploads import Place
from errata.warehouse.typed_rows import typed

# The rank of a p75 among this many loads is off by one percent.
LOADS_LOOKED_AT = 1500


@dataclass(frozen=True, slots=True)
class PageLoad:
    """None: not measured. `user_hash` 0: not identified. Addresses of `files` include the host, even where
    the SDK left out the page's own."""

    view_id: str
    received_at: datetime
    page: str
    url: str
    user_hash: int
    load_ms: float | None
    ttfb_ms: float | None
    fcp_ms: float | None
    lcp_ms: float | None
    lcp_url: str
    cls: float | None
    files: list[LoadedFile] = field(default_factory=list)
    causes: Mapping[Cause, LoadCause] = field(default_factory=dict)
    """Of each measured one of INP, LCP and CLS."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True, slots=True)
class SampledLoads:
    """A sample of page loads; `one_of` 1: every load of the period; 8: every eighth."""

    loads: list[PageLoad]
    one_of: int = 1


def sampled_loads(
    warehouse: Warehouse, filters: Filters, load_count: int, most: int = LOADS_LOOKED_AT
) -> SampledLoads:
    """The sample of a period; `load_count`: the period's number of loads, as far as known."""
    since, until = filters.range.since, filters.range.until
    one_of = max(1, math.ceil(load_count / most))
    found = warehouse.rows(
        sql.query("sampled_loads"),
        {
            **filters.parameters,
            "since": since,
            "until": until,
            "one_of": one_of,
            "limit": 2 * most,
        },
    )
    loads = {(row["project_id"], row["view_id"]): row for row in found}
    files: dict[tuple[int, int], list[LoadedFile]] = {}
    for row in _files(warehouse, filters, since, [row["view_id"] for row in found]):
        key = row["project_id"], row["view_id"]
        own = loads.get(key)
        if own is not None and abs(row["received_at"] - own["received_at"]) <= PART_WAITS:
            files.setdefault(key, []).append(_file(row, own))
    places = {_place(sent) for row in found for sent in row["causes"]}
    functions = original_functions(warehouse, filters.projects, places)
    made = [_load(row, files.get(key, []), functions) for key, row in loads.items()]
    return SampledLoads(made, one_of)


def _place(sent: Mapping[str, Any]) -> Place:
    return Place(sent["file"], sent["position"])


def _files(warehouse: Warehouse, filters: Filters, since: datetime, view_ids: Sequence[int]) -> list[Row]:
    if not view_ids:
        return []
    parameters = {"projects": list(filters.projects), "since": since, "view_ids": view_ids}
    return warehouse.rows(sql.query("resources_of_loads"), parameters)


def _file(row: Row, load: Row) -> LoadedFile:
    # SDKs before 10 leave out the page's own host.
    is_own = row["url"].startswith("/")
    page = urlsplit(load["url"])
    return typed(
        LoadedFile,
        row,
        url=f"{page.scheme}://{page.netloc}{row['url']}" if is_own and page.netloc else row["url"],
        host=row["host"] or page.netloc,
        offset_ms=round(row["start_us"] / 1000 - load["started_at_ms"], 3),
    )


def _load(row: Row, files: list[LoadedFile], functions: Mapping[Place, OriginalFunction]) -> PageLoad:
    causes = (_cause(sent, functions.get(_place(sent))) for sent in row["causes"])
    return typed(PageLoad, row, files=files, causes={cause.metric: cause for cause in causes})


def _cause(sent: Mapping[str, Any], original: OriginalFunction | None) -> LoadCause:
    metric = Cause(sent["metric"])
    parts = zip(PARTS[metric], sent["parts"], strict=False)
    script = known_script(sent["invoker"], sent["file"], sent["function"], sent["position"], original)
    return LoadCause(
        metric,
        **{name: sent[name] for name in ("element", "url", "invoker")},
        file=script.file,
        function=script.function,
        source=script.source,
        value=sent["value"],
        is_slow=bool(sent["is_slow"]),
        parts={name: value for name, value in parts if not math.isnan(value)},
    )
