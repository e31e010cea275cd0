"""The values that differ: tested together, those that matter, the most important first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import asin, sqrt
from statistics import NormalDist

from errata.differences.exact import mid_p
from errata.differences.lift import Interval, interval, lift
from errata.differences.traffic import ENVIRONMENT, Comparison, Stratum, Table, Traffic, Value
from errata.statistics.discovery import benjamini_yekutieli, selected_level

LEVEL = 0.05
MOST_FINDINGS = 25
# Fewer independent sources tell nothing.
FEWEST_SOURCES = 5
# Of the issue's sources at least this share more, or less, than the rest lets expect.
LEAST_IMPORTANCE = 0.05
# A value that fewer of the issue's sources are expected to have, or not to have, says little of its tag.
FEWEST_EXPECTED = 2
# Nothing stands out only if shares as far apart as these, of the rest and of the issue, would have.
LARGE_DIFFERENCE = (0.3, 0.8)
WELL_KNOWN = frozenset("release transaction page environment browser os device server_name service".split())


class Verdict(StrEnum):
    """`too_few`: too few independent sources on either side to find even a large difference; `no_rest`:
    nothing to compare with."""

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
    """`is_of_known`: only sources of known users or tenants were compared.

    `has_unknown`: the issue has others. `effective`: as many independent sources of the issue and of the rest
    would tell as much. `spreads`: how far values of each tag are from the rest's, as a mean chi-square.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    tested_count: int = 0
    interval_level: float = LEVEL
    is_of_known: bool = False
    has_unknown: bool = False
    sources: tuple[int, int] = (0, 0)
    effective: tuple[float, float] = (0.0, 0.0)
    environments: tuple[str, ...] = ()
    spreads: Mapping[str, float] = field(default_factory=dict)


def found(traffic: Traffic, level: float = LEVEL, inflation: float = 1.0) -> Found:
    """At most `level` of what it names is expected to be chance, and of the intervals to miss.

    `inflation`: so many sources tell as much as one.
    """
    known = traffic.of_known.by_time
    is_of_known = bool(known.compared) and Comparison(known).effective >= FEWEST_SOURCES
    by_client = known if is_of_known else traffic.joined(Stratum.of_anybody)
    chosen = by_client.joined(Stratum.of_any_client).by_time
    if not chosen.compared:
        has_issue = any(issue for issue, _ in traffic.counts.values())
        return Found(Verdict.NO_REST if has_issue else Verdict.TOO_FEW)
    comparison = Comparison(chosen, inflation)
    about = Found(
        Verdict.TOO_FEW,
        is_of_known=is_of_known,
        has_unknown=any(issue for stratum, (issue, _) in traffic.counts.items() if not stratum.is_known),
        sources=(comparison.issue_sources, comparison.rest_sources),
        effective=(comparison.issue_effective, comparison.rest_effective),
        environments=tuple(sorted({stratum.environment for stratum in comparison.strata})),
    )
    if comparison.effective < FEWEST_SOURCES:
        return about
    of_values = _comparisons(chosen, comparison)
    tables = [each.table(value.counts) for each, value in of_values]
    about = replace(about, spreads=_spreads(zip((value.tag for _, value in of_values), tables, strict=True)))
    p_values = [mid_p(*each.whole()) for each in tables]
    q_values = benjamini_yekutieli(p_values)
    indices = [index for index, q_value in enumerate(q_values) if q_value <= level]
    interval_level = selected_level(level, len(indices), len(tables))
    findings = [
        _finding(*of_values[index], tables[index], p_values[index], interval_level) for index in indices
    ]
    mattering = [finding for finding in findings if finding.importance >= LEAST_IMPORTANCE]
    kept, comparisons = mattering, [comparison]
    for without in by_client.without_clients:
        rest = without.joined(Stratum.of_any_client).by_time
        comparisons.append(Comparison(rest, inflation))
        kept = [finding for finding in kept if _is_found(finding, rest, interval_level, inflation)]
    if not kept and (
        mattering or not all(_would_find_large(each, level, len(tables)) for each in comparisons)
    ):
        return about
    return replace(
        about,
        verdict=Verdict.COMPARED,
        findings=tuple(sorted(_without_counterparts(kept), key=_rank)[:MOST_FINDINGS]),
        tested_count=len(tables),
        interval_level=interval_level,
    )


def _would_find_large(comparison: Comparison, level: float, tested_count: int) -> bool:
    """Whether a large difference is found more often than not: Cohen's h (1988) of the two shares against the
    threshold of Benjamini and Yekutieli for a single finding."""
    rest_share, issue_share = LARGE_DIFFERENCE
    effect = 2 * asin(sqrt(issue_share)) - 2 * asin(sqrt(rest_share))
    if not comparison.effective:
        return False
    spread = sqrt(1 / comparison.issue_effective + 1 / comparison.rest_effective)
    threshold = selected_level(level, 1, max(tested_count, 1))
    return effect / spread >= NormalDist().inv_cdf(1 - threshold / 2)


def _spreads(tables: Iterable[tuple[str, Table]]) -> dict[str, float]:
    """Pearson's statistic of each tag over its degrees of freedom: 1 on the average, by chance."""
    squares: defaultdict[str, float] = defaultdict(float)
    degrees: defaultdict[str, float] = defaultdict(float)
    for tag, table in tables:
        if min(table.share, 1 - table.share) * table.issue_total >= FEWEST_EXPECTED:
            squares[tag] += (1 - table.share) * table.chi_square
            degrees[tag] += 1 - table.share
    return {tag: squares[tag] / degrees[tag] for tag in squares}


def _is_found(finding: Finding, traffic: Traffic, threshold: float, inflation: float) -> bool:
    """Whether this traffic shows the difference, too, and as surely as it was found."""
    if not traffic.compared:
        return False
    own = traffic.of_value(finding.tag, finding.value)
    [(comparison, value)] = _comparisons(own, Comparison(traffic, inflation))
    table = comparison.table(value.counts)
    return (table.issue_share > table.rest_share) == finding.is_more and mid_p(*table.whole()) <= threshold


def _comparisons(traffic: Traffic, comparison: Comparison) -> list[tuple[Comparison, Value]]:
    """Environments are compared with each other, all else within each of them."""
    pooled = traffic.joined(Stratum.without_environment)
    across = Comparison(pooled, comparison.inflation)
    return [
        (across, whole) if value.tag == ENVIRONMENT else (comparison, value)
        for value, whole in zip(traffic.values, pooled.values, strict=True)
    ]


def _finding(comparison: Comparison, value: Value, shares: Table, p_value: float, level: float) -> Finding:
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
    issue_count, rest_count = comparison.count(value.counts)
    return Finding(
        value.tag,
        value.value,
        issue_count,
        shares.issue_share,
        rest_count,
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
