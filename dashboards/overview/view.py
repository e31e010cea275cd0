"""Tiles of the overview: a figure, its rating, and the page that explains it."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from api.overview import ProjectOverview
from dashboards.shared.metrics import figure, rating
from errata.performance.metric import PAGE_METRICS
from errata.reports import formats

VITALS = ("load_ms", "lcp_ms", "inp_ms", "cls")
# What to do by the name of a step, and the page below the project on which it is done; `{count}` is put in.
STEP_WORDS = {
    "missing_bytes": ("Find out why {count} of the log files never arrived", "delivery"),
    "regressed_issues": ("Look at {count} that came back after being resolved", "issues?status=regressed"),
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
    name: str
    value: str
    note: str
    rating: str
    address: str


@dataclass(frozen=True)
class NextStep:
    words: str
    address: str


def tiles(found: ProjectOverview, base: str, carried: dict[str, str]) -> Iterator[Tile]:
    """`carried`: the filters that every page is opened with."""
    query = urlencode(carried)
    release = found.release
    if release is not None and release.crash_free is not None:
        yield Tile(
            "Crash-free sessions",
            formats.ratio(release.crash_free.value),
            f"of {release.release}",
            "",
            f"{base}/performance/releases",
        )
    if found.loads is not None:
        for metric in VITALS:
            known = found.loads[metric]
            note = f"p95 {figure(metric, known.p95)}" if known.p95 is not None else "not measured yet"
            yield Tile(
                f"{PAGE_METRICS[metric].heading} p75",
                figure(metric, known.p75),
                note,
                rating(metric, known.p75),
                f"{base}/performance?{urlencode(carried | {'metric': metric})}",
            )
    if found.calls is not None:
        address = f"{base}/performance?{urlencode(carried | {'tab': 'endpoints'})}"
        calls = formats.plural(found.calls.call_count, "call")
        yield Tile("API p95", formats.duration(found.calls.p95_ms), calls, "", address)
        yield Tile("API errors", formats.ratio(found.calls.error_ratio), "4xx and 5xx", "", address)
    breached = len(found.breached)
    if found.budgets:
        kept = f"{len(found.budgets) - breached} of {len(found.budgets)}"
        note = f"{breached} breached" if breached else "none breached"
        yield Tile(
            "Budgets", kept, note, "poor" if breached else "good", f"{base}/performance/budgets?{query}"
        )


def next_steps(found: ProjectOverview, base: str) -> Iterator[NextStep]:
    for step in found.next_steps:
        words, path = STEP_WORDS[step.name]
        noun = COUNTED.get(step.name)
        count = formats.plural(step.count, noun) if noun else formats.count(step.count)
        if step.name == "missing_bytes":
            count = formats.size(step.count)
        verb = "is" if step.count == 1 else "are"
        yield NextStep(words.format(count=count, verb=verb), f"{base}/{path}")
