"""Differences as words and bars; the longest bar is the larger share."""

from dataclasses import dataclass
from math import isinf

from errata.differences.dominance import SourceCount, SourceKind
from errata.differences.findings import Finding, Verdict
from errata.differences.redundancy import DistinctFinding
from errata.reports.formats import ratio, significant
from errata.warehouse.queries.issue.differences import Differences

BAR = 100
LARGEST_SHOWN = 1000
LEAST_MISSING = 0.001
KINDS = {
    SourceKind.USER: "one user",
    SourceKind.REPLAY: "one visit",
    SourceKind.TRACE: "one trace",
    SourceKind.JOB: "one job",
    SourceKind.TENANT: "one tenant",
}


@dataclass(frozen=True)
class Row:
    """`words` is the whole finding as a sentence."""

    tag: str
    value: str
    is_more: bool
    lift: str
    interval: str
    words: str
    issue_share: float
    rest_share: float
    issue_bar: float
    rest_bar: float
    issue_count: int
    rest_count: int
    along: tuple[str, ...]


@dataclass(frozen=True)
class DominantSource:
    words: str
    name: str
    share: float


@dataclass(frozen=True)
class Shown:
    """`sources`: what is counted; `effective`: as many independent ones would tell as much."""

    verdict: Verdict
    rows: tuple[Row, ...]
    found: Differences
    interval_words: str
    sources: str
    effective: int
    dominant: DominantSource | None


def different(found: Differences) -> Shown:
    return Shown(
        found.verdict,
        tuple(_row(one) for one in found.findings),
        found,
        _level(found.interval_level) if found.findings else "",
        "users" if found.is_of_known else "sources",
        int(found.effective[0]),
        _dominant(found.dominant) if found.dominant else None,
    )


def _level(missing: float) -> str:
    return (
        f"over {1 - LEAST_MISSING:.1%}" if missing < LEAST_MISSING else f"{significant(100 * (1 - missing))}%"
    )


def _dominant(source: SourceCount) -> DominantSource:
    # The ids of replays and traces tell nobody anything.
    is_named = source.kind not in (SourceKind.REPLAY, SourceKind.TRACE)
    return DominantSource(KINDS[source.kind], source.name if is_named else "", source.share)


def _row(one: DistinctFinding) -> Row:
    finding = one.finding
    lift, interval = _lift(finding), _interval(finding)
    return Row(
        tag=finding.tag,
        value=finding.value,
        is_more=finding.is_more,
        lift=lift,
        interval=interval,
        words=f"{ratio(finding.issue_share)} of this issue, {ratio(finding.rest_share)} of other "
        f"issues: {lift}",
        issue_share=finding.issue_share,
        rest_share=finding.rest_share,
        issue_bar=BAR * finding.issue_share,
        rest_bar=BAR * finding.rest_share,
        issue_count=finding.issue_count,
        rest_count=finding.rest_count,
        along=tuple(f"{each.tag}: {each.value}" for each in one.along),
    )


def _lift(finding: Finding) -> str:
    """The ratio of the shares in words."""
    if finding.rest_count == 0:
        return "only here"
    if finding.issue_count == 0:
        return "never here"
    return f"{_times(finding.lift)}×"


def _interval(finding: Finding) -> str:
    low, high = finding.interval.low, finding.interval.high
    if isinf(high) or high > LARGEST_SHOWN:
        return f"at least {_times(low)}×"
    return f"{_times(low)}× to {_times(high)}×"


def _times(value: float) -> str:
    return f"over {LARGEST_SHOWN:,}" if value > LARGEST_SHOWN else significant(value)
