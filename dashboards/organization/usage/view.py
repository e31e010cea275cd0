"""Usage and limits in words, and the chart of usage."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from api.usage import DRAWN, WHOLES, Forecast, LimitedLines, UsageOverTime
from dashboards.shared.chart_json import chart_json
from dashboards.shared.delivery_verdict import REASON_WORDS
from dashboards.shared.outcomes import title_and_advice
from errata.field_outcomes import LEFT_OUT, FieldOutcome, field_outcome
from errata.reports import charts, formats
from errata.reports.chart_meanings import BETTER, FAIR, MUTED, WORSE
from errata.state.ingest_limits import LimitKind
from errata.warehouse.queries.delivery.usage import OutcomeUse

SCOPE_WORDS = {
    "organization": "Organization",
    "project": "Each project",
    "caller": "Each key, session or address",
    "email": "Each email address",
    "service": "Each node",
}
OUTCOME_WORDS = {
    FieldOutcome.ACCEPTED: "accepted",
    FieldOutcome.FILTERED: "filtered",
    FieldOutcome.RATE_LIMITED: "rate limited",
    FieldOutcome.INVALID: "invalid",
    FieldOutcome.ABUSE: "refused to protect the service",
    FieldOutcome.CLIENT_DISCARD: "discarded by SDKs",
    FieldOutcome.CARDINALITY_LIMITED: "too many names",
}
COLORS = {
    OUTCOME_WORDS[FieldOutcome.ACCEPTED]: BETTER,
    OUTCOME_WORDS[FieldOutcome.FILTERED]: MUTED,
    OUTCOME_WORDS[FieldOutcome.INVALID]: WORSE,
    OUTCOME_WORDS[FieldOutcome.CLIENT_DISCARD]: FAIR,
}
# Outcomes of items; the others of items are of values in them.
OF_ITEMS = (*LEFT_OUT, "client_discard", "payload_limited")


@dataclass(frozen=True, slots=True)
class ShownOutcome:
    """`unit`: what is counted, in words."""

    words: str
    title: str
    advice: str
    unit: str
    item_count: int


def usage_figure(found: UsageOverTime) -> Markup | None:
    """The chart of lines and items by outcome; None without any."""
    told = [(OUTCOME_WORDS[outcome], found.counts[outcome]) for outcome in DRAWN]
    lines = [(name, counts) for name, counts in told if any(counts)]
    if not lines:
        return None
    return chart_json(charts.events_over_time(found.starts, lines, colors=COLORS))


def shown_outcomes(outcomes: Sequence[OutcomeUse]) -> list[ShownOutcome]:
    """By outcome and reason over all projects, the most first; refused deliveries last."""
    counts, of_types = Counter[tuple[str, str, str]](), dict[tuple[str, str, str], Counter[str]]()
    for one in outcomes:
        key = one.outcome, one.reason, _unit(one)
        counts[key] += one.item_count
        of_types.setdefault(key, Counter())[one.item_type] += one.item_count

    def rows() -> Iterator[ShownOutcome]:
        ordered = sorted(counts.items(), key=lambda each: (each[0][2] == "delivery", -each[1]))
        for (outcome, reason, unit), count in ordered:
            if unit in WHOLES:
                title, advice = REASON_WORDS.get(outcome, (outcome, ""))
            else:
                item_types = of_types[outcome, reason, unit].most_common(10)
                title, advice = title_and_advice(outcome, reason, item_types)
            yield ShownOutcome(OUTCOME_WORDS[field_outcome(outcome)], title, advice, unit, count)

    return list(rows())


def _unit(one: OutcomeUse) -> str:
    if one.item_type in WHOLES:
        return one.item_type
    return "item" if one.outcome in OF_ITEMS else "value"


def forecast_words(month: Forecast) -> str:
    name = formats.month(month.month)
    so_far = f"{formats.plural(month.line_count, 'line')} accepted in {name} so far"
    if month.byte_count:
        so_far += f", {formats.size(month.byte_count)}"
    if month.lines_at_end is None:
        return f"{so_far}. Not enough data for a forecast: the first delivery is less than a week old."
    size = f", {formats.size(month.bytes_at_end)}" if month.bytes_at_end else ""
    return (
        f"{so_far}. At the pace of the last seven days, the month ends with about "
        f"{formats.plural(month.lines_at_end, 'line')}{size}."
    )


def limit_words(lines: LimitedLines) -> str:
    """Its limits per minute; empty without any."""
    words: dict[LimitKind, Callable[[int], str]] = {
        LimitKind.LINES: lambda number: formats.plural(number, "line"),
        LimitKind.BYTES: formats.size,
        LimitKind.PAYLOADS: lambda number: f"{formats.plural(number, 'payload')} of a variant",
        LimitKind.SPIKES: lambda number: f"spike protection at {formats.plural(number, 'line')}",
    }
    found = [(kind, lines.per_minute(kind)) for kind in words if kind in lines.limits]
    return ", ".join(
        words[kind](number) if number is not None else "spike protection, not enough data yet"
        for kind, number in found
    )
