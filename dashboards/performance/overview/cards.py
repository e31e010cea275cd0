"""The cards above the tables of pages and endpoints."""

from collections.abc import Iterator

from dashboards.performance.card import Card
from dashboards.performance.previous_period import previous_words
from dashboards.shared.metrics import around, figure, rating
from errata.performance.metric import PAGE_METRICS
from errata.period import TimeRange
from errata.reports import formats
from errata.reports.unended import least
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.page_views import PageRow

CARD_METRICS = ("load_ms", "lcp_ms", "inp_ms", "cls")


def page_cards(all_pages: PageRow | None, chosen: TimeRange) -> Iterator[Card]:
    if all_pages is None:
        return
    yield Card("Page loads", formats.compact(all_pages.view_count))
    for metric in CARD_METRICS:
        known = all_pages[metric]
        p50, p75, p95 = (
            least(figure(metric, value), all_pages.unended_of(metric), name)
            for name, value in known._asdict().items()
        )
        note = around(p50, p95) if known.p75 is not None else ""
        yield Card(
            f"{PAGE_METRICS[metric].heading} p75",
            p75,
            note,
            rating(metric, known.p75),
        )
    yield Card(
        "API calls",
        formats.duration(all_pages.api_ms),
        f"mean of {formats.plural(all_pages.api_call_count, 'call')}",
    )
    yield Card("Load p75 change", formats.change(all_pages.change_ratio), previous_words(all_pages, chosen))


def endpoint_cards(together: EndpointRow | None) -> Iterator[Card]:
    if together is None:
        return
    measured = "as servers responded" if together.side == "server" else "as browsers measured"
    yield Card("Calls", formats.compact(together.call_count), measured)
    yield Card("Average", formats.duration(together.avg_ms))
    yield Card("p95", formats.duration(together.p95_ms), f"p50 {formats.duration(together.p50_ms)}")
    yield Card("Errors", formats.ratio(together.error_ratio), "4xx and 5xx")
    yield Card("Server errors", formats.compact(together.server_error_count), "5xx")
