"""The verdict on a release in one line: what got worse or better, and what did not."""

from collections.abc import Iterator

from errata.reports import formats
from errata.statistics.verdict import CHANGES, Verdict
from errata.warehouse.queries.performance.releases import LOAD, ErrorRates, ReleaseRow

WORDS = {
    Verdict.WORSE: "Worse",
    Verdict.BETTER: "Better",
    Verdict.NO_CHANGE: "No change",
    Verdict.NOT_ENOUGH_DATA: "Not enough data",
}
UNITS = {"session": "session", "load": "page load"}
UNDER, OVER = "under 0.01", "over 1,000"


def headline(row: ReleaseRow) -> str:
    """As in "Worse: errors per session 1.8 times (1.2 to 2.6); load time unchanged"."""
    parts = "; ".join(reasons(row))
    return WORDS[row.overall_verdict] + (f": {parts}" if parts else "")


def reasons(row: ReleaseRow) -> list[str]:
    """What the verdict rests on, what changed most gravely first."""
    order = [*CHANGES, Verdict.NO_CHANGE, Verdict.NOT_ENOUGH_DATA]
    return [words for _, words in sorted(_parts(row), key=lambda part: order.index(part[0]))]


def reasons_sentence(row: ReleaseRow) -> str:
    """As in "Errors per session 1.8 times (1.2 to 2.6); load time unchanged."; empty: nothing compared."""
    parts = "; ".join(reasons(row))
    return f"{parts[0].upper()}{parts[1:]}." if parts else ""


def times(rates: ErrorRates) -> str:
    """The factor with its interval, as in "1.8 times (1.2 to 2.6)"."""
    return f"{factor(rates.ratio.value)} times ({times_range(rates)})"


def times_range(rates: ErrorRates) -> str:
    """As in "1.2 to 2.6"; empty if the interval excludes nothing."""
    low, high = factor(rates.ratio.low), factor(rates.ratio.high)
    return "" if (low, high) == (UNDER, OVER) else f"{low} to {high}"


def factor(value: float) -> str:
    """1.8, 12 and 0.45; "over 1,000" or "under 0.01" beyond."""
    if value >= 1000:
        return OVER
    if value < 0.01:
        return UNDER
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


def per(rates: ErrorRates) -> str:
    return f"errors per {UNITS[rates.unit]}"


def _parts(row: ReleaseRow) -> Iterator[tuple[Verdict, str]]:
    rates, load = row.error_rates, row.effects.get(LOAD)
    if rates:
        word = Verdict(rates.verdict)
        yield word, f"{per(rates)} {times(rates) if word in CHANGES else _unchanged(word)}"
    word = Verdict(row.verdict)
    if load and load.ratio and word in CHANGES:
        ratio = load.ratio
        value, low, high = (formats.change(each) for each in (ratio.value, ratio.low, ratio.high))
        yield word, f"load time {value} ({low} to {high})"
    elif load:
        yield word, f"load time {_unchanged(word)}"


def _unchanged(word: Verdict) -> str:
    return "unchanged" if word == Verdict.NO_CHANGE else "undecided"
