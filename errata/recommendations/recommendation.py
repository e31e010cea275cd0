"""Rules over what real page loads measured: each says what is wrong, what it costs, and what to do."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from errata.reports import formats
from errata.warehouse.queries.performance import NAVIGATE, PageRow
from errata.warehouse.queries.resources import MEDIUM_IMPACT_MS, OTHERS, ResourceRow

# A rule that fewer loads speak for says more about chance than about the page.
FEWEST_LOADS = 20
# "Needs improvement" begins there: web.dev/articles/vitals, web.dev/articles/ttfb.
TTFB_MS, LCP_MS, CLS = 800, 2500, 0.1
# Text smaller than this gains little; compressed well it is a third of its size or less.
SMALL_TEXT_BYTES = 10_000
COMPRESSED_RATIO, COMPRESSED_TO = 0.9, 0.35
LARGE_IMAGE_BYTES = 200_000
LARGE_SCRIPTS_BYTES = 400_000
MANY_REQUESTS = 80
REPEATED_CALLS = 5
TEXT_TYPES = ("script", "style", "document", "api")


class Rule(StrEnum):
    RENDER_BLOCKING = "render_blocking"
    UNCOMPRESSED = "uncompressed"
    LARGE_IMAGE = "large_image"
    LARGE_SCRIPTS = "large_scripts"
    MANY_REQUESTS = "many_requests"
    REPEATED_CALLS = "repeated_calls"
    SLOW_FIRST_BYTE = "slow_first_byte"
    LATE_LCP = "late_lcp"
    LAYOUT_SHIFT = "layout_shift"


ADVICE = {
    Rule.RENDER_BLOCKING: "Load scripts with defer or async; put the styles of the first view into the page, "
    "and load the rest after.",
    Rule.UNCOMPRESSED: "Let the server or CDN compress text with Brotli, Zstandard or gzip.",
    Rule.LARGE_IMAGE: "Serve AVIF or WebP in the size it is shown in (srcset and sizes).",
    Rule.LARGE_SCRIPTS: "Split bundles by route, load the rest when it is used, and drop what nobody uses.",
    Rule.MANY_REQUESTS: "Bundle small files, load what is below the fold lazily, and drop third parties.",
    Rule.REPEATED_CALLS: "Ask for all of it in one call, or keep what was asked for.",
    Rule.SLOW_FIRST_BYTE: "Look at the server's spans in a waterfall of this page; cache what can be cached.",
    Rule.LATE_LCP: "Let the largest element be in the HTML, preload its image and do not load it lazily.",
    Rule.LAYOUT_SHIFT: "Give images, frames and late content their size beforehand.",
}


@dataclass(frozen=True, slots=True)
class Recommendation:
    """`saved_ms` and `saved_bytes`: at most, of one page load; None where a rule cannot tell."""

    rule: Rule
    subject: str
    """A page or a URL; empty: all pages together."""
    is_page: bool
    evidence: str
    load_count: int
    """Page loads that it concerns."""
    saved_ms: float | None = None
    saved_bytes: float | None = None

    @property
    def advice(self) -> str:
        return ADVICE[self.rule]

    @property
    def weight(self) -> tuple[float, float]:
        """What it would save all loads together; time goes before bytes."""
        return (self.saved_ms or 0) * self.load_count, (self.saved_bytes or 0) * self.load_count


def recommendations(
    pages: Sequence[PageRow], types: Sequence[ResourceRow], urls: Sequence[ResourceRow]
) -> list[Recommendation]:
    """What saves most first."""
    loads = sum(row.view_count for row in pages if row.navigation_type == NAVIGATE)
    found = [*_of_pages(pages), *_of_types(types, loads), *_of_urls(urls)]
    return sorted((each for each in found if each.load_count >= FEWEST_LOADS), key=_first)


def _first(each: Recommendation) -> tuple[float, float, str, str]:
    return -each.weight[0], -each.weight[1], each.rule, each.subject


def _of_pages(pages: Iterable[PageRow]) -> Iterator[Recommendation]:
    for row in pages:
        if row.navigation_type != NAVIGATE:
            continue
        ttfb, lcp, shift = row.ttfb_ms.p75, row.lcp_ms.p75, row.cls.p75
        if ttfb is not None and ttfb > TTFB_MS:
            said = f"The first byte comes after {formats.duration(ttfb)} at p75; up to {TTFB_MS} ms is good."
            yield _of_page(Rule.SLOW_FIRST_BYTE, row, said, ttfb - TTFB_MS)
        if lcp is not None and lcp > LCP_MS:
            said = (
                f"The largest content is painted after {formats.duration(lcp)} at p75; up to 2.5 s is good."
            )
            yield _of_page(Rule.LATE_LCP, row, said, lcp - LCP_MS)
        if shift is not None and shift > CLS:
            said = f"The layout shifts by {formats.score(shift)} at p75; up to {CLS} is good."
            yield _of_page(Rule.LAYOUT_SHIFT, row, said, None)


def _of_page(rule: Rule, row: PageRow, evidence: str, saved_ms: float | None) -> Recommendation:
    return Recommendation(rule, row.page, True, evidence, row.view_count, saved_ms)


def _of_types(types: Sequence[ResourceRow], loads: int) -> Iterator[Recommendation]:
    scripts = next((row for row in types if row.type == "script"), None)
    size = scripts.bytes_per_view if scripts else None
    if scripts and size and size > LARGE_SCRIPTS_BYTES:
        said = (
            f"A page load takes {formats.size(size)} of JavaScript as compressed, "
            f"in {scripts.per_view:.0f} files."
        )
        yield Recommendation(
            Rule.LARGE_SCRIPTS, "", True, said, scripts.view_count, None, size - LARGE_SCRIPTS_BYTES
        )
    requests = sum(row.resource_count for row in types) / loads if loads else 0
    if requests > MANY_REQUESTS:
        said = f"A page load makes {requests:.0f} requests on average."
        yield Recommendation(Rule.MANY_REQUESTS, "", True, said, loads)


def _of_urls(urls: Iterable[ResourceRow]) -> Iterator[Recommendation]:
    for row in urls:
        if row.url == OTHERS:
            continue
        if row.delay_ms is not None and row.delay_ms >= MEDIUM_IMPACT_MS:
            said = (
                f"It loads for {formats.duration(row.delay_ms)} on average before anything is painted, "
                f"in {formats.count(row.blocking_count)} loads."
            )
            yield Recommendation(Rule.RENDER_BLOCKING, row.url, False, said, row.blocking_count, row.delay_ms)
        if _is_uncompressed(row):
            body = row.body_bytes or 0
            said = f"{formats.size(body)} come over the wire for {formats.size(row.decoded_bytes)} of text."
            saved = body * (1 - COMPRESSED_TO)
            yield Recommendation(Rule.UNCOMPRESSED, row.url, False, said, row.view_count, None, saved)
        if row.type == "image" and row.body_bytes is not None and row.body_bytes > LARGE_IMAGE_BYTES:
            said = f"The image has {formats.size(row.body_bytes)}."
            saved = row.body_bytes - LARGE_IMAGE_BYTES
            yield Recommendation(Rule.LARGE_IMAGE, row.url, False, said, row.view_count, None, saved)
        if row.type == "api" and row.per_view >= REPEATED_CALLS:
            said = f"A page load that calls it calls it {row.per_view:.1f} times."
            saved_ms = (row.per_view - 1) * (row.avg_ms or 0)
            yield Recommendation(Rule.REPEATED_CALLS, row.url, False, said, row.view_count, saved_ms)


def _is_uncompressed(row: ResourceRow) -> bool:
    body, decoded = row.body_bytes, row.decoded_bytes
    if row.type not in TEXT_TYPES or body is None or decoded is None:
        return False
    return decoded >= SMALL_TEXT_BYTES and body >= COMPRESSED_RATIO * decoded
