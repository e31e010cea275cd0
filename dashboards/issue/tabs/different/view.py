"""Differences as words and bars; the longest bar is the larger share."""

from dataclasses import dataclass
from math import isinf

from errata.differences.findings import Finding, Verdict
from errata.differences.redundancy import DistinctFinding
from errata.reports.formats import ratio, significant
from errata.warehouse.queries.issue.differences import Differences

BAR = 100
LARGEST_SHOWN = 1000


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
class Shown:
    verdict: Verdict
    rows: tuple[Row, ...]
    found: Differences
    interval_words: str


def different(found: Differences) -> Shown:
    return Shown(
        found.verdict,
        tuple(_row(one) for one in found.findings),
        found,
        f"{significant(100 * (1 - found.interval_level))}%" if found.findings else "",
    )


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
