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
    SLOW_INTERACTION = "slow_interaction"
    SLOW_HANDLER = "slow_handler"


ADVICE = {
    Rule.RENDER_BLOCKING: "Load scripts with defer or async; inline the critical CSS, "
    "and load the rest later.",
    Rule.UNCOMPRESSED: "Compress text with Brotli, Zstandard or gzip on the server or CDN.",
    Rule.UNCACHED: "Put a content hash in the file name, and send Cache-Control: public, "
    "max-age=31536000, immutable.",
    Rule.UNUSED_PRELOAD: "Match the preload to its use (crossorigin for fonts and fetch, "
    "same as, type and URL), or remove it.",
    Rule.LARGE_IMAGE: "Serve AVIF or WebP at the displayed size (srcset and sizes).",
    Rule.LARGE_SCRIPTS: "Split bundles by route, load the rest on demand, and remove unused code.",
    Rule.MANY_REQUESTS: "Bundle small files, lazy-load content below the fold, and remove third parties.",
    Rule.REPEATED_CALLS: "Batch the calls into one, or cache the responses.",
    Rule.THIRD_PARTY: "Remove it, load it on demand or after the page has loaded, or serve it "
    "from your own host.",
    Rule.SLOW_ENDPOINT: "Check its spans in the waterfall; speed up the response, send the request "
    "earlier, or render the page "
    "before it arrives.",
    Rule.SLOW_FIRST_BYTE: "Check the server spans in a waterfall of this page; cache what you can.",
    Rule.LATE_LCP: "Put the largest element in the HTML, preload its image, and don't lazy-load it.",
    Rule.LAYOUT_SHIFT: "Set explicit sizes for images, frames and late content.",
    Rule.SLOW_INTERACTION: "Check the long frames in a waterfall of this page; show a response first, "
    "and split long tasks.",
    Rule.SLOW_HANDLER: "Update the page first, and do the rest after the next paint, in small tasks or a "
    "worker.",
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


def recommend(
    rule: Rule,
    found: Gathered,
    evidence: str,
    saved_ms: float | None = None,
    saved_bytes: float | None = None,
) -> Recommendation:
    return Recommendation(
        rule,
        found.subject,
        evidence,
        found.load_count,
        saved_ms,
        saved_bytes,
        found.page,
        found.user_count,
        Example.of(found.example),
    )
