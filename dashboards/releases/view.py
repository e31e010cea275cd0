"""Releases for their templates: words of verdicts, and drawn intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboards.shared.verdicts import verdict_word
from errata.reports import formats
from errata.reports.release_headline import UNITS, factor, per, times, times_range
from errata.statistics.comparison import LOADS_A_SIDE
from errata.statistics.error_rates import EXPOSURES_A_SIDE
from errata.statistics.verdict import Verdict
from errata.warehouse.queries.performance.releases import LOAD, Effect, Interval, ReleaseRow

NOT_ENOUGH_DATA = Verdict.NOT_ENOUGH_DATA
METRICS = {
    "load_ms": "Load time",
    "ttfb_ms": "TTFB",
    "fcp_ms": "FCP",
    "lcp_ms": "LCP",
    "inp_ms": "INP",
    "cls": "CLS",
    "api_ms": "API calls",
    "js_bytes": "JavaScript size",
}
REASONS = {
    "few_users": " More users are needed, since few users make up these loads.",
    "drift": " Load times changed as fast in the weeks before the release.",
    "one_user": " More users are needed, since one user, perhaps a bot, makes up many of these loads.",
}
ERROR_REASONS = {
    "few_users": " Not enough data: more users are needed, since few users had these errors.",
    "one_user": " Not enough data: more users are needed, since one user, perhaps in a crash loop, had many "
    "of these errors.",
    "drift": " Not enough data: errors changed as fast in the weeks before the release.",
}
MIX = {"browsers": "browsers", "identified_users": "identified and unknown users"}
# How much loads tell is said where it is less than this share of their number.
TELLS_LESS = 0.9
NAMED_SHARE = 0.1
# No clock of a browser tells less from nothing.
LEAST_MS = 0.005
WIDTH = 120
# A scale that ends where the widest interval does, but never shows a hundredth as large nor hides the rest.
NARROWEST, WIDEST = 0.1, 1.5


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval in units of the drawing; `words` say the same."""

    left: float
    width: float
    at: float
    words: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One effect with what is drawn of it."""

    effect: Effect
    bar: Bar | None
    change: str
    size: str
    size_interval: str

    @property
    def word(self) -> str:
        """Where loads were compared and their interval is too wide, nothing is decided."""
        return "undecided" if self.effect.verdict == NOT_ENOUGH_DATA else self.effect.verdict


@dataclass(frozen=True, slots=True)
class Listed:
    release: ReleaseRow
    judged: Judged | None
    """Of the load time of all pages; None where nothing is comparable."""

    @property
    def word(self) -> str:
        return verdict_word(self.release)

    @property
    def error_change(self) -> str:
        """Empty without a verdict: a number would be read as an effect."""
        rates = self.release.error_rates
        return factor(rates.ratio.value) if rates and rates.verdict != NOT_ENOUGH_DATA else ""

    @property
    def error_range(self) -> str:
        rates = self.release.error_rates
        return times_range(rates) or "not enough data" if rates else ""

    @property
    def is_error_range(self) -> bool:
        """Whether `error_range` is one of factors."""
        rates = self.release.error_rates
        return bool(rates and times_range(rates))

    @property
    def error_unit(self) -> str:
        rates = self.release.error_rates
        return UNITS[rates.unit] if rates else ""


def scale_of(effects: Sequence[Effect]) -> float:
    reach = (max(abs(one.ratio.low), abs(one.ratio.high)) for one in effects if one.ratio)
    return min(WIDEST, max(NARROWEST, *reach, 0.0))


def listed(rows: Sequence[ReleaseRow]) -> list[Listed]:
    loads = {row.release: row.effects.get(LOAD) for row in rows}
    scale = scale_of([effect for effect in loads.values() if effect])
    return [Listed(row, judged(effect, scale) if (effect := loads[row.release]) else None) for row in rows]


def judged(effect: Effect, scale: float) -> Judged:
    """Of too little data only the interval is shown: a number would be read as an effect."""
    ratio, size = effect.ratio, effect.effect
    if effect.verdict == NOT_ENOUGH_DATA:
        drawn = bar(ratio, scale) if ratio else None
        return Judged(effect, drawn, "", "", "")
    change = formats.change(ratio.value) if ratio else figure(effect.metric, size.value, is_signed=True)
    return Judged(
        effect=effect,
        bar=bar(ratio, scale) if ratio else None,
        change=change,
        size=figure(effect.metric, size.value, is_signed=True),
        size_interval=f"{figure(effect.metric, size.low, is_signed=True)} to "
        f"{figure(effect.metric, size.high, is_signed=True)}",
    )


def bar(ratio: Interval, scale: float) -> Bar:
    def place(value: float) -> float:
        inside = min(scale, max(-scale, value))
        return round((inside / scale + 1) / 2 * WIDTH, 1)

    left, right = place(ratio.low), place(ratio.high)
    return Bar(
        left=left,
        width=max(1.0, round(right - left, 1)),
        at=place(ratio.value),
        words=f"{formats.change(ratio.low)} to {formats.change(ratio.high)}",
    )


def figure(metric: str, value: float, *, is_signed: bool = False) -> str:
    if metric == "cls":
        value = round(value, 2)
    sign = "+" if is_signed and value > 0 else "−" if value < 0 else ""
    if metric == "cls":
        return sign + formats.score(abs(value))
    if metric != "js_bytes" and abs(value) < LEAST_MS:
        value = 0.0
    shown = formats.size(abs(value)) if metric == "js_bytes" else formats.duration(abs(value))
    return shown if shown.startswith("0 ") else sign + shown


def load_word(row: ReleaseRow) -> str:
    return "undecided" if row.is_undecided else row.verdict


def error_word(row: ReleaseRow) -> str:
    """Where errors were compared and their interval is too wide, nothing is decided."""
    verdict = row.error_rates.verdict if row.error_rates else NOT_ENOUGH_DATA
    return "undecided" if row.error_rates and verdict == NOT_ENOUGH_DATA else verdict


def errors(row: ReleaseRow) -> str:
    """How errors changed, and what that is computed from; empty: nothing to compare with."""
    rates = row.error_rates
    if rates is None:
        return ""
    if rates.verdict == NOT_ENOUGH_DATA:
        interval = times_range(rates)
        words = f"It isn't clear yet whether {per(rates)} changed"
        words += f": {interval} times those of {row.previous_release}" if interval else ""
    else:
        words = f"{per(rates).capitalize()}: {times(rates)} those of {row.previous_release}"
    words += (
        f", at the same times of the week. {formats.plural(rates.count, 'error')}, "
        f"{_thousand(rates.rate, rates.unit)}, and {formats.count(rates.before_count)} before, "
        f"{_thousand(rates.before_rate, rates.unit)}"
    )
    if rates.unit == "load":
        words += "; no sessions are sent, so errors are counted per page load"
    if rates.independent_count < TELLS_LESS * rates.count:
        words += (
            f". Errors of the same user or hour are alike: these {formats.count(rates.count)} count as "
            f"{formats.count(round(rates.independent_count))}"
        )
    if rates.largest_share > NAMED_SHARE:
        words += f". One user had {formats.ratio(rates.largest_share)} of all errors"
    needed = _still_needed(
        rates.still_needed, min(rates.exposures), EXPOSURES_A_SIDE, UNITS[rates.unit], per(rates)
    )
    return words + "." + (ERROR_REASONS.get(rates.reason) or needed)


def _thousand(rate: float, unit: str) -> str:
    shown = 1000 * rate
    figure = formats.count(shown) if shown >= 10 else formats.decimal(shown)
    return f"{figure} per 1,000 {UNITS[unit]}s"


def sentence(row: ReleaseRow) -> str:
    """The basis of the verdict on load time in a few sentences."""
    effect = row.effects.get(LOAD)
    if not row.previous_release:
        return "No earlier release of this package to compare with."
    if effect and row.verdict == NOT_ENOUGH_DATA:
        fewer = min(effect.after_count, effect.before_count)
        needed = _still_needed(row.still_needed, fewer, LOADS_A_SIDE, "page load", "load time")
        return (
            f"It isn't clear yet whether pages are slower or faster than with {row.previous_release}: "
            f"{_range(effect)}. {basis(effect)}"
            f"{REASONS.get(effect.reason) or needed}"
        )
    if effect is None or effect.ratio is None:
        return (
            f"Not enough page loads of {row.release} and {row.previous_release} "
            "share the same page, device and hour."
        )
    word = "longer" if effect.ratio.value > 0 else "less"
    return (
        f"All else equal, page loads take {formats.ratio(abs(effect.ratio.value))} {word} than with "
        f"{row.previous_release} ({bar(effect.ratio, 1.0).words}): "
        f"{figure(LOAD, effect.effect.value, is_signed=True)} at the median. {basis(effect)}"
    )


def _still_needed(count: int, have: float, most: int, unit: str, what: str) -> str:
    """`have` sessions or page loads of the smaller release, of at most `most` that are compared."""
    if not count:
        return ""
    if have + count > most:
        compared = f"{formats.count(most)} {unit}s of a release that are compared"
        return f" The {compared} won't show whether {what} stayed the same."
    figure = formats.count(round(count, 2 - len(str(count))))
    return f" If {what} didn't change, about {figure} more {unit}s of either release will show it."


def _range(effect: Effect) -> str:
    if effect.ratio is None:
        return "the interval is too wide"
    return f"the change in load time lies between {bar(effect.ratio, 1.0).words.replace(' to ', ' and ')}"


def basis(effect: Effect) -> str:
    """The loads that an effect is computed from, and how much they tell."""
    words = f"Computed from {formats.plural(effect.after_count, 'load')} of it"
    if effect.user_count:
        words += f" by {formats.plural(effect.user_count, 'user')}"
    words += f" and {formats.count(effect.before_count)} before"
    if effect.independent_count < TELLS_LESS * effect.after_count:
        words += (
            f". Loads of the same user or hour are alike: these {formats.count(effect.after_count)} count as "
            f"{formats.count(effect.independent_count)}"
        )
    if effect.largest_share > NAMED_SHARE:
        words += f". One user made {formats.ratio(effect.largest_share)} of all loads"
    return words + "."


def crashes(row: ReleaseRow) -> str:
    """How crash-free sessions and users changed; empty: nothing to compare with."""
    change, users = row.crash_free_change, row.crash_free_users_change
    if change is None:
        return ""
    words = f"Crash-free sessions vs {row.previous_release}, at the same hours of the week: {_points(change)}"
    count = round(row.independent_sessions)
    if 0 < count < TELLS_LESS * row.session_count:
        words += (
            ". Sessions of the same user or hour are alike: these "
            f"{formats.count(row.session_count)} count as {formats.count(count)}"
        )
    if users:
        words += (
            f". Crash-free users: {_points(users)} between the full lifetimes of the releases, which isn't a "
            f"verdict: the longer a release runs, the more of its users hit a crash"
        )
    return words + "."


def _points(change: Interval) -> str:
    value, low, high = (
        formats.change(each).removesuffix("%") for each in (change.value, change.low, change.high)
    )
    return f"{value} points ({low} to {high})"


def moved(row: ReleaseRow) -> str:
    """What else changed with the release; empty: nothing that is known."""
    names = [MIX[name] for name in row.moved_mix if name in MIX]
    words = []
    if names:
        words.append(
            f"The mix of {' and '.join(names)} changed with this release, and effects aren't adjusted for "
            f"it: part of an effect may come from different visitors."
        )
    if "unended_loads" in row.moved_mix:
        words.append(
            "The share of loads that had not finished when reported changed with this release. They count "
            "with their known duration, so the true effect on load time may differ."
        )
    return " ".join(words)


def by_page(effects: Sequence[Effect]) -> Iterator[Judged]:
    scale = scale_of(effects)
    for effect in effects:
        yield judged(effect, scale)


def analysis_words(hours: int) -> str:
    if not hours:
        return "verdict pending"
    days = hours // 24
    return "after " + (formats.plural(days, "day") if days else formats.plural(hours, "hour"))


def p_value(value: float | None) -> str:
    if value is None:
        return formats.NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def probability(value: float) -> str:
    """The probability in words, never certain."""
    if value > 0.9995:
        return ">99.9%"
    return "<0.1%" if value < 0.0005 else formats.ratio(value)
