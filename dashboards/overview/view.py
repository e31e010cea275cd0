"""Tiles of the overview: a figure, its rating, and the page that explains it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from markupsafe import Markup

from api.overview import ProjectOverview, Step, begun_in
from api.overview_figures import CRASH_FREE, VITALS, Figure
from dashboards.overview.over_time import OverTime
from dashboards.overview.sparkline import line
from dashboards.shared import metrics
from dashboards.shared.chart_json import chart_json
from dashboards.shared.metrics import rating
from errata.budgets.state import State
from errata.performance.metric import PAGE_METRICS
from errata.period import TREND_STEPS, Period
from errata.reports import formats
from errata.reports.chart_marks import with_deploys
from errata.reports.traffic_chart import traffic_and_errors
from errata.reports.unended import least

HEADINGS = {
    "crash_free_sessions": "Crash-free sessions",
    "crash_free_users": "Crash-free users",
    "server_ms": "API p95",
    "server_error_ratio": "API errors",
}
# What a figure is counted of, by its name.
SAMPLES = {
    "crash_free_sessions": "session",
    "crash_free_users": "identified user",
    "server_ms": "call",
    "server_error_ratio": "call",
}


@dataclass(frozen=True)
class StepWords:
    """What to do, `{count}` put in, and the page below the project on which it is done; `noun`: what is
    counted; `query`: the page's own filters; `is_of_range`: whether it is opened with the overview's range.
    """

    words: str
    path: str
    noun: str = ""
    query: Sequence[tuple[str, str]] = ()
    is_of_range: bool = True


STEP_WORDS = {
    "missing_bytes": StepWords("Find out why {count} of the log files never arrived", "delivery"),
    "refused_data": StepWords("Find out why data is refused", "delivery"),
    "regressed_issues": StepWords("Review {count}", "issues", "regressed issue", (("status", "regressed"),)),
    "breached_budgets": StepWords("See why {count} {verb} breached", "performance/budgets", "budget"),
    "worse_release": StepWords("See what the newest release made worse", "performance/releases"),
    "failed_calls": StepWords(
        "Find out why {count} failed",
        "performance",
        "API call",
        (("tab", "endpoints"),),
    ),
    "unassigned_issues": StepWords("Assign {count} to someone", "issues", "new issue"),
    "silent_hosts": StepWords("Check {count} that went silent", "delivery", "host"),
    "no_alert_rules": StepWords(
        "Add an alert rule, so that new issues reach you", "alerts/new", is_of_range=False
    ),
    "no_budgets": StepWords("Set a performance budget", "performance/budgets"),
    "no_page_loads": StepWords("Add browser tracing to see how fast pages are", "performance"),
}


@dataclass(frozen=True)
class Tile:
    """`rating` colours the tile, `rating_words` say it; `change` is from the previous period, `direction`
    what it means: better, worse or nothing."""

    name: str
    value: str
    note: str
    rating: str
    address: str
    rating_words: str = ""
    change: str = ""
    direction: str = ""
    line: str = ""
    """The figure over time, as the path of a small SVG; empty: too little is known."""


@dataclass(frozen=True)
class NextStep:
    words: str
    address: str


def tiles(found: ProjectOverview, over_time: OverTime, base: str, carried: dict[str, str]) -> Iterator[Tile]:
    """`carried`: the filters that every page is opened with."""
    query = urlencode(carried)
    for figure in found.figures:
        yield replace(_tile(figure, base, carried), line=line(over_time.of(figure.name)))
    if found.budgets:
        yield _budgets(found, f"{base}/performance/budgets?{query}")


def traffic_figure(over_time: OverTime) -> Markup | None:
    """The chart of page loads, calls and error events; None where the period has none of them."""
    traffic = over_time.traffic
    named = (("page loads", traffic.loads), ("API calls", traffic.calls))
    told = [(name, counts) for name, counts in named if any(counts)]
    if not told and not any(traffic.events):
        return None
    step = TREND_STEPS[over_time.range.trend_step]
    return chart_json(
        with_deploys(traffic_and_errors(traffic.starts, step, told, traffic.events), traffic.deploys)
    )


def _budgets(found: ProjectOverview, address: str) -> Tile:
    counts = Counter(history.standing for _, history in found.budgets)
    others = [f"{counts[state]} {state.value}" for state in (State.BREACHED, State.UNKNOWN) if counts[state]]
    if len(found.breached) == 1:
        others[0] = f"{found.breached[0].name}: breached"
    rating_of = "poor" if counts[State.BREACHED] else "" if others else "good"
    value = f"{counts[State.KEPT]} of {len(found.budgets)}"
    return Tile("Budgets kept", value, ", ".join(others) or "none breached", rating_of, address)


def _tile(figure: Figure, base: str, carried: dict[str, str]) -> Tile:
    if figure.name in CRASH_FREE:
        path = "performance/releases"
    elif figure.name in VITALS:
        path = f"performance?{urlencode(carried | {'metric': figure.name})}"
    else:
        path = f"performance?{urlencode(carried | {'tab': 'endpoints'})}"
    rated = rating(figure.name, figure.value) if figure.name in VITALS else ""
    return Tile(
        HEADINGS.get(figure.name) or f"{PAGE_METRICS[figure.name].heading} p75",
        least(_shown(figure, figure.value), figure.unended, "p75"),
        ", ".join(_notes(figure)),
        rated,
        f"{base}/{path}",
        metrics.RATING_WORDS.get(rated, ""),
        _change(figure),
        {True: "better", False: "worse", None: ""}[figure.is_better],
    )


def _shown(figure: Figure, value: float) -> str:
    if figure.is_share:
        return formats.ratio(value)
    return metrics.figure(figure.name, value) if figure.name in VITALS else formats.duration(value)


def _change(figure: Figure) -> str:
    if figure.change is None:
        return "nothing to compare"
    if not figure.change:
        return "no change"
    arrow = "▲" if figure.change > 0 else "▼"
    size = abs(figure.change)
    words = f"{formats.ratio(size).removesuffix('%')} points" if figure.is_share else formats.ratio(size)
    return f"{arrow} {words}"


def _notes(figure: Figure) -> Iterator[str]:
    if figure.sample_count is not None:
        yield f"of {formats.plural(figure.sample_count, SAMPLES[figure.name])}"
    if figure.limit is not None:
        yield f"{PLACES[figure.is_within]} budget ({_shown(figure, figure.limit)})"


PLACES = {True: "within", False: "over", None: "perhaps over"}


def next_steps(
    found: ProjectOverview, base: str, carried: Mapping[str, str], period: Period
) -> Iterator[NextStep]:
    """`carried`: the filters that every page is opened with."""
    for step in found.next_steps:
        told = STEP_WORDS[step.name]
        query = {**(carried if told.is_of_range else {}), **dict(told.query)}
        if step.name == "unassigned_issues":
            query["query"] = f"{begun_in(period)} is:unassigned"
        path = told.path
        if step.name == "breached_budgets" and len(found.breached) == 1:
            path = f"{told.path}/{found.breached[0].id}"
            query = {}
        words = told.words.format(count=_counted(step, told), verb="is" if step.count == 1 else "are")
        yield NextStep(words, f"{base}/{path}" + (f"?{urlencode(query)}" if query else ""))


def _counted(step: Step, told: StepWords) -> str:
    if step.name == "missing_bytes":
        return formats.size(step.count)
    return formats.plural(step.count, told.noun) if told.noun else ""
