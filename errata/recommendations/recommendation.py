"""What a rule recommends: what is wrong, what it costs whom, one real load that shows it, and what to do."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from errata.recommendations.measured import Gathered, Measured


class Rule(StrEnum):
    RENDER_BLOCKING = "render_blocking"
    UNCOMPRESSED = "uncompressed"
    UNCACHED = "uncached"
    UNUSED_PRELOAD = "unused_preload"
    LARGE_IMAGE = "large_image"
    LARGE_SCRIPTS = "large_scripts"
    MANY_REQUESTS = "many_requests"
    REPEATED_CALLS = "repeated_calls"
    THIRD_PARTY = "third_party"
    SLOW_ENDPOINT = "slow_endpoint"
    SLOW_FIRST_BYTE = "slow_first_byte"
    LATE_LCP = "late_lcp"
    LAYOUT_SHIFT = "layout_shift"


ADVICE = {
    Rule.RENDER_BLOCKING: "Load scripts with defer or async; put the styles of the first view into the page, "
    "and load the rest after.",
    Rule.UNCOMPRESSED: "Let the server or CDN compress text with Brotli, Zstandard or gzip.",
    Rule.UNCACHED: "Give it a name that changes with its content, and send Cache-Control: public, "
    "max-age=31536000, immutable.",
    Rule.UNUSED_PRELOAD: "Let the preload ask as its user does (crossorigin for fonts and for fetch, "
    "the same as, type and URL), or drop it.",
    Rule.LARGE_IMAGE: "Serve AVIF or WebP in the size it is shown in (srcset and sizes).",
    Rule.LARGE_SCRIPTS: "Split bundles by route, load the rest when it is used, and drop what nobody uses.",
    Rule.MANY_REQUESTS: "Bundle small files, load what is below the fold lazily, and drop third parties.",
    Rule.REPEATED_CALLS: "Ask for all of it in one call, or keep what was asked for.",
    Rule.THIRD_PARTY: "Drop it, load it when it is needed or after the page has loaded, or serve it "
    "from your own host.",
    Rule.SLOW_ENDPOINT: "Look at its spans in the waterfall; answer quicker, ask earlier, or show the page "
    "before the answer.",
    Rule.SLOW_FIRST_BYTE: "Look at the server's spans in a waterfall of this page; cache what can be cached.",
    Rule.LATE_LCP: "Let the largest element be in the HTML, preload its image and do not load it lazily.",
    Rule.LAYOUT_SHIFT: "Give images, frames and late content their size beforehand.",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One real load whose figure is nearest to the p75, and the resource of it that is meant."""

    view_id: str
    received_on: date
    url: str = ""
    """Empty: the load as a whole."""

    @classmethod
    def of(cls, measured: Measured) -> "Example":
        load = measured.load
        return cls(load.view_id, load.received_at.date(), measured.url)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """`saved_ms` and `saved_bytes`: at most, at p75 of the loads concerned; None where a rule cannot tell."""

    rule: Rule
    subject: str
    """A page, a URL, an endpoint or a host."""
    is_page: bool
    evidence: str
    load_count: int
    """Page loads that it concerns."""
    saved_ms: float | None = None
    saved_bytes: float | None = None
    page: str = ""
    """The one page that it is about; empty: wherever the subject is loaded."""
    user_count: int | None = None
    """Identified users of the loads that were looked at; None: none of them was."""
    example: Example | None = None

    @property
    def advice(self) -> str:
        return ADVICE[self.rule]

    @property
    def weight(self) -> tuple[float, float]:
        """What it would save all loads together; time goes before bytes."""
        return (self.saved_ms or 0) * self.load_count, (self.saved_bytes or 0) * self.load_count


def told(
    rule: Rule,
    found: Gathered,
    evidence: str,
    saved_ms: float | None = None,
    saved_bytes: float | None = None,
    *,
    is_page: bool = False,
) -> Recommendation:
    return Recommendation(
        rule,
        found.subject,
        is_page,
        evidence,
        found.load_count,
        saved_ms,
        saved_bytes,
        found.page,
        found.user_count,
        Example.of(found.example),
    )
