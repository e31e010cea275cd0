"""What stands out from all else: sources of a group that no tag names differ from others in everything."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median_low

from errata.differences.findings import Finding, Found, Verdict, found
from errata.differences.redundancy import DistinctFinding, Joints, without_repeats
from errata.differences.traffic import Traffic

# Tags that differ by chance alone have a median of up to so much; a dozen may hide a part of what is more.
MOST_BY_CHANCE = 1.5
MARGIN = 1.25
# Most of fewer tags may have causes of their own.
FEWEST_TAGS = 5


def found_apart(
    traffic: Traffic, joints_of: Callable[[Found], Joints]
) -> tuple[Found, list[DistinctFinding]]:
    """Genomic control: Devlin and Roeder (1999). What differs no more than unrelated tags do is not told."""
    by_chance = found(traffic)
    joints = joints_of(by_chance)
    distinct = without_repeats(by_chance.findings, joints)
    factor = inflation(by_chance.spreads, distinct)
    if not distinct or factor == 1:
        return by_chance, distinct
    beyond = found(traffic, inflation=factor)
    if not beyond.findings:
        return replace(beyond, verdict=Verdict.TOO_FEW), []
    return beyond, without_repeats(beyond.findings, joints)


def inflation(spreads: Mapping[str, float], distinct: Sequence[DistinctFinding]) -> float:
    """How many times as far as by chance most tags are apart that no finding explains; at least 1."""
    explained = _tags(each for one in distinct for each in one.along) - _tags(one.finding for one in distinct)
    unexplained = [spread for tag, spread in spreads.items() if tag not in explained]
    if len(unexplained) < FEWEST_TAGS:
        return 1.0
    middle = median_low(unexplained)
    return MARGIN * middle if middle > MOST_BY_CHANCE else 1.0


def _tags(findings: Iterable[Finding]) -> set[str]:
    return {finding.tag for finding in findings}
