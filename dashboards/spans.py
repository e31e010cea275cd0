"""What the bars of the issue list cover: its period, or the last 24 hours or 30 days beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.shared import periods
from dashboards.sparklines import Sparkline, sparkline
from errata.warehouse.queries.issues.issue import Issue


@dataclass(frozen=True, slots=True)
class Span:
    """`address` is what the address says of it: nothing where it is the period of the list."""

    text: str
    words: str
    address: str
    is_shown: bool


def spans(period: str, wanted: str, issues: Sequence[Issue]) -> list[Span]:
    """The shortest first; the period alone where the question was answered without the others."""
    is_counted = any(issue.hours and issue.days for issue in issues)
    offered = {period, "24h", "30d"} if is_counted else {period}
    shown = wanted if wanted in offered else period
    return [
        Span(text, periods.words(text), "" if text == period else text, text == shown)
        for text in sorted((periods.period(each, each) for each in offered), key=lambda text: text.length)
    ]


def shown_span(offered: Sequence[Span]) -> Span:
    return next(span for span in offered if span.is_shown)


def bars(issue: Issue, offered: Sequence[Span]) -> Sparkline:
    """One that was not counted for the span has bars of the period, and its words say so."""
    shown = shown_span(offered)
    counts = {"24h": issue.hours, "30d": issue.days}.get(shown.address, ())
    if counts:
        return sparkline(counts, shown.words)
    period = next(span for span in offered if not span.address)
    return sparkline(issue.sparkline, period.words)
