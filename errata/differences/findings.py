"""The values that differ: tested together, those that matter, the most important first."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from errata.differences.exact import mid_p
from errata.differences.lift import Interval, interval, lift
from errata.differences.traffic import ENVIRONMENT, Table, Traffic, Value, pooled, pooled_counts, table
from errata.statistics.discovery import benjamini_yekutieli, selected_level

LEVEL = 0.05
# Fewer independent sources of an issue tell nothing about it.
FEWEST_SOURCES = 5
# Of the issue's sources at least this share more, or less, than the rest lets expect.
LEAST_IMPORTANCE = 0.05
WELL_KNOWN = frozenset("release transaction page environment browser os device server_name service".split())


class Verdict(StrEnum):
    """`too_few`: of the issue; `no_rest`: nothing to compare it with."""

    COMPARED = "compared"
    TOO_FEW = "too_few"
    NO_REST = "no_rest"


@dataclass(frozen=True)
class Finding:
    """`importance`: the share of the issue's sources that it surely has too many, or too few, of."""

    tag: str
    value: str
    issue_count: int
    issue_share: float
    rest_count: int
    rest_share: float
    lift: float
    interval: Interval
    p_value: float
    importance: float

    @property
    def is_more(self) -> bool:
        return self.issue_share > self.rest_share


@dataclass(frozen=True)
class Found:
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    tested_count: int = 0
    interval_level: float = LEVEL


def found(traffic: Traffic, level: float = LEVEL) -> Found:
    """At most `level` of what it names is expected to be chance, and of the intervals to miss."""
    strata = traffic.compared
    if not strata:
        has_issue = any(stratum.issue.source_count for stratum in traffic.strata.values())
        return Found(Verdict.NO_REST if has_issue else Verdict.TOO_FEW)
    sources = pooled(strata)[""].issue
    if sources.effective < FEWEST_SOURCES:
        return Found(Verdict.TOO_FEW)
    tables = [_table(traffic, value) for value in traffic.values]
    p_values = [mid_p(*each.whole()) for each in tables]
    q_values = benjamini_yekutieli(p_values)
    indices = [index for index, q_value in enumerate(q_values) if q_value <= level]
    interval_level = selected_level(level, len(indices), len(tables))
    findings = [
        _finding(traffic.values[index], tables[index], p_values[index], interval_level) for index in indices
    ]
    mattering = [finding for finding in findings if finding.importance >= LEAST_IMPORTANCE]
    return Found(
        Verdict.COMPARED,
        tuple(sorted(_without_counterparts(mattering), key=_rank)),
        len(tables),
        interval_level,
    )


def _table(traffic: Traffic, value: Value) -> Table:
    if value.tag == ENVIRONMENT:
        return table(pooled(traffic.strata), pooled_counts(value.counts))
    return table(traffic.compared, value.counts)


def _finding(value: Value, shares: Table, p_value: float, level: float) -> Finding:
    numbers = (
        shares.issue_share * shares.issue_total,
        shares.issue_total,
        shares.rest_share * shares.rest_total,
        shares.rest_total,
    )
    bounds = interval(*numbers, level)
    is_more = shares.issue_share > shares.rest_share
    importance = (
        shares.issue_share * (1 - 1 / bounds.low)
        if is_more and bounds.low > 0
        else shares.rest_share * (1 - bounds.high)
    )
    return Finding(
        value.tag,
        value.value,
        sum(count[0] for count in value.counts.values()),
        shares.issue_share,
        sum(count[1] for count in value.counts.values()),
        shares.rest_share,
        lift(*numbers),
        bounds,
        p_value,
        importance,
    )


def _without_counterparts(findings: Sequence[Finding]) -> list[Finding]:
    """Where one value of a tag has more, the others must have less: that is said once."""
    more = {finding.tag for finding in findings if finding.is_more}
    return [finding for finding in findings if finding.is_more or finding.tag not in more]


def _rank(finding: Finding) -> tuple[float, bool, str, str]:
    """Of those that are as important, what every SDK sends comes before tags of one's own."""
    return (-round(finding.importance, 6), finding.tag not in WELL_KNOWN, finding.tag, finding.value)
