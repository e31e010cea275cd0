"""Slow endpoints behind slow pages: calls that pages wait for, joined with what those endpoints take."""

from collections.abc import Iterator, Sequence

from errata.recommendations.file_rules import endpoint_of
from errata.recommendations.measured import Measured, gathered
from errata.recommendations.recommendation import Recommendation, Rule, recommend
from errata.reports import formats
from errata.routes import shape
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.performance.sampled_loads import PageLoad

# The page stands with its load event, its largest content, and the answers to what it asked until then.
SLOW_PAGE_MS = 2500
QUICK_CALL_MS = 300
LEAST_SAVED_MS = 100


def slow_endpoints(
    loads: Sequence[PageLoad], seen: Sequence[EndpointRow], served: Sequence[EndpointRow]
) -> Iterator[Recommendation]:
    """`seen`: endpoints as pages saw them; `served`: as servers answered."""
    for found in gathered(one for load in loads for one in _calls(load)):
        saved_ms, call_ms, share, stands_ms = found.values
        if saved_ms < LEAST_SAVED_MS or stands_ms < SLOW_PAGE_MS:
            continue
        said = (
            f"{found.page} is ready after {formats.duration(stands_ms)} (p75) and waits for this call for "
            f"{formats.duration(call_ms)} ({formats.ratio(share)})."
        )
        yield recommend(Rule.SLOW_ENDPOINT, found, said + _of_endpoint(found.subject, seen, served), saved_ms)


def _calls(load: PageLoad) -> Iterator[Measured]:
    """Of each endpoint the call that ends last."""
    shown = max(load.load_ms or 0.0, load.lcp_ms or 0.0)
    calls: dict[str, LoadedFile] = {}
    waited = [file for file in load.files if file.type == "api" and 0 <= file.offset_ms <= shown]
    for file in sorted(waited, key=lambda file: file.end_ms):
        calls[endpoint_of(file)] = file
    stands = max([shown, *(file.end_ms for file in waited)])
    for endpoint, file in calls.items():
        others = max([shown, *(other.end_ms for other in waited if other is not file)])
        quick = file.offset_ms + min(file.duration_ms, QUICK_CALL_MS)
        saved_ms = stands - min(stands, max(others, quick))
        values = (saved_ms, file.duration_ms, file.duration_ms / stands if stands else 0.0, stands)
        yield Measured(endpoint, load, values, load.page, file.url)


def _of_endpoint(endpoint: str, seen: Sequence[EndpointRow], served: Sequence[EndpointRow]) -> str:
    """Its p75 everywhere, and that of the server's own endpoint of the same method and shape."""
    by_page = next((row for row in seen if row.host + row.route == endpoint), None)
    if by_page is None or by_page.p75_ms is None:
        return ""
    said = f" In browsers, {by_page.method} {by_page.route} takes {formats.duration(by_page.p75_ms)} (p75)"
    wanted = by_page.method, shape(by_page.route)
    own = [row for row in served if (row.method, shape(row.route)) == wanted]
    if len(own) == 1 and own[0].p75_ms is not None:
        said += f"; its server responds in {formats.duration(own[0].p75_ms)}"
    return said + "."
