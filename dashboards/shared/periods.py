"""Ranges of time as people choose them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from urllib.parse import urlencode

from dashboards.shared.addresses import View
from errata.period import Grain, Period, TimeRange
from errata.reports import formats

CHOICES = (
    ("1h", "1 hour"),
    ("6h", "6 hours"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
    ("14d", "14 days"),
    ("30d", "30 days"),
    ("90d", "90 days"),
)
TREND_CHOICES = (*CHOICES[2:], ("26w", "26 weeks"), ("52w", "52 weeks"))
UNITS = {"h": "hour", "d": "day", "w": "week"}
# The fields of the form beside the presets, and the button that sends them.
FIELDS = ("from", "to", "custom")


def period(text: str, default: str) -> Period:
    """The default stands for a text that is no period, so that a mangled link still shows something."""
    try:
        return Period.parse(text, formats.zone())
    except ValueError:
        return Period(default)


def words(chosen: Period) -> str:
    if chosen.is_interval:
        return formats.span(*chosen.ends)
    number = int(chosen[:-1])
    return f"{number} {UNITS[chosen[-1]]}{'' if number == 1 else 's'}"


def within(chosen: Period) -> str:
    """In a sentence: "in the last 14 days", "in the range 1–8 Nov 2026, UTC"."""
    return f"in the range {words(chosen)}" if chosen.is_interval else f"in the last {words(chosen)}"


@dataclass(frozen=True, slots=True)
class ShownRange:
    """A range for its control: what is offered, and the fields of an interval, empty beside a preset."""

    chosen: Period
    offered: Sequence[tuple[str, str]]
    from_field: str
    to_field: str
    note: str

    @property
    def words(self) -> str:
        return words(self.chosen)

    @property
    def within(self) -> str:
        return within(self.chosen)


def shown(chosen: TimeRange, offered: Sequence[tuple[str, str]] = CHOICES) -> ShownRange:
    """The periods offered, and the one of the address."""
    ends = chosen.period.ends if chosen.period.is_interval else ()
    since, until = (formats.field_minute(end) for end in ends) if ends else ("", "")
    is_offered = str(chosen.period) in {value for value, _ in offered}
    own = [] if is_offered else [(str(chosen.period), words(chosen.period))]
    return ShownRange(chosen.period, [*offered, *own], since, until, _note(chosen))


def _note(chosen: TimeRange) -> str:
    """What is counted beyond the interval that was asked for."""
    if not chosen.is_widened:
        return ""
    unit = {Grain.MINUTE: "minutes", Grain.HOUR: "hours", Grain.DAY: "days"}[chosen.grain]
    return f"Counted in whole UTC {unit}: {formats.span(chosen.since, chosen.shown_until, UTC)}"


def address_of_fields(path: str, query: Sequence[tuple[str, str]], zone: tzinfo) -> str | None:
    """The address of the range in the fields of a form that was sent without scripts; None: it has none.

    Raises ValueError for an interval that is none.
    """
    sent = dict(query)
    if not any(name in sent for name in FIELDS):
        return None
    kept = [(name, value) for name, value in query if name not in FIELDS]
    if "custom" in sent and (sent.get("from") or sent.get("to")):
        chosen = Period.between(_end(sent, "from", zone), _end(sent, "to", zone))
        kept = [(name, value) for name, value in kept if name != "period"] + [("period", str(chosen))]
    return f"{path}?{urlencode(kept)}" if kept else path


def _end(sent: Mapping[str, str], name: str, zone: tzinfo) -> datetime:
    """An empty end is now."""
    text = sent.get(name, "")
    if not text and name == "to":
        return datetime.now(UTC) + timedelta(minutes=1)
    return moment_of_field(text, zone)


def moment_of_field(text: str, zone: tzinfo) -> datetime:
    """Of a field for a date and time, in the zone that pages are shown in. Raises ValueError."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("a date and time in both fields") from None


def is_compared(view: View) -> bool:
    """Whether charts show the period before, too."""
    return view["compare"] == "previous"
