"""Tiles of the overview: a figure, its rating, and the page that explains it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from api.overview import ProjectOverview
from api.overview_figures import CRASH_FREE, VITALS, Figure
from dashboards.shared import metrics
from dashboards.shared.metrics import rating
from errata.budgets.state import State
from errata.performance.metric import PAGE_METRICS
from errata.reports import formats

HEADINGS = {
    "crash_free_sessions": "Crash-free sessions",
    "crash_free_users": "Crash-free users",
    "server_ms": "API p95",
    "server_error_ratio": "API errors",
}
# What to do by the name of a step, and the page below the project on which it is done; `{count}` is put in.
STEP_WORDS = {
    "missing_bytes": ("Find out why {count} of the log files never arrived", "delivery"),
    "regressed_issues": ("Review {count} that recurred after being resolved", "issues?status=regressed"),
    "breached_budgets": ("See why {count} of your budgets {verb} breached", "performance/budgets"),
    "worse_release": ("See what the newest release made slower", "performance/releases"),
    "unassigned_issues": ("Assign {count} of the new issues", "issues?query=is%3Aunresolved+age%3A-24h"),
    "silent_hosts": ("Check {count} that went silent", "delivery"),
    "no_alert_rules": ("Add an alert rule, so that new issues reach you", "alerts/new"),
    "no_budgets": ("Set a performance budget", "performance/budgets"),
    "no_page_loads": ("Add browser tracing to see how fast pages are", "performance"),
}
COUNTED = {"regressed_issues": "issue", "silent_hosts": "host"}


@dataclass(frozen=True)
class Tile:
    """`change` is of the previous period, `direction` what it means: better, worse or nothing."""

    name: str
    value: str
    note: str
    rating: str
    address: str
    change: str = ""
    direction: str = ""


@dataclass(frozen=True)
class NextStep:
    words: str
    address: str


def tiles(found: ProjectOverview, base: str, carried: dict[str, str]) -> Iterator[Tile]:
    """`carried`: the filters that every page is opened with."""
    query = urlencode(carried)
    for figure in found.figures:
        yield _tile(figure, base, carried)
    if found.budgets:
        yield _budgets(found, f"{base}/performance/budgets?{query}")


def _budgets(found: ProjectOverview, address: str) -> Tile:
    counts = Counter(history.standing for _, history in found.budgets)
    others = [f"{counts[state]} {state.value}" for state in (State.BREACHED, State.UNKNOWN) if counts[state]]
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
    shown = _shown(figure, figure.value)
    return Tile(
        HEADINGS.get(figure.name) or f"{PAGE_METRICS[figure.name].heading} p75",
        shown,
        _budget_note(figure),
        rating(figure.name, figure.value) if figure.name in VITALS else "",
        f"{base}/{path}",
        _change(figure),
        {True: "better", False: "worse", None: ""}[figure.is_better],
    )


def _shown(figure: Figure, value: float) -> str:
    if figure.is_share:
        return formats.ratio(value)
    return metrics.figure(figure.name, value) if figure.name in VITALS else formats.duration(value)


def _change(figure: Figure) -> str:
    if figure.change is None:
        return "no previous period to compare"
    if not figure.change:
        return "no change vs previous period"
    arrow = "▲" if figure.change > 0 else "▼"
    size = abs(figure.change)
    words = f"{formats.ratio(size).removesuffix('%')} points" if figure.is_share else formats.ratio(size)
    return f"{arrow} {words} vs previous period"


def _budget_note(figure: Figure) -> str:
    if figure.limit is None:
        return ""
    return f"{'within' if figure.is_within else 'over'} budget ({_shown(figure, figure.limit)})"


def next_steps(found: ProjectOverview, base: str) -> Iterator[NextStep]:
    for step in found.next_steps:
        words, path = STEP_WORDS[step.name]
        noun = COUNTED.get(step.name)
        count = formats.plural(step.count, noun) if noun else formats.count(step.count)
        if step.name == "missing_bytes":
            count = formats.size(step.count)
        verb = "is" if step.count == 1 else "are"
        yield NextStep(words.format(count=count, verb=verb), f"{base}/{path}")
