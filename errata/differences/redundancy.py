"""Findings that say the same twice: a browser and its version, a release and its build number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from errata.differences.findings import Finding

# Given the other finding, less than this part of the (logarithmic) lift is left of a redundant one.
LEFT = 0.25
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Joint:
    """Sources of the issue and of the rest: those with the first value, with the second, with both."""

    issue: tuple[int, int, int]
    rest: tuple[int, int, int]

    def turned(self) -> "Joint":
        return Joint(_turned(self.issue), _turned(self.rest))


# Of each two findings, and the sources of the issue and of the rest that they were counted among.
Joints = tuple[Mapping[tuple[Key, Key], Joint], int, int]


@dataclass(frozen=True)
class DistinctFinding:
    """A finding to show, and the redundant ones listed under it."""

    finding: Finding
    along: tuple[Finding, ...]


def without_repeats(findings: Sequence[Finding], counted: Joints) -> list[DistinctFinding]:
    """Of findings, the most important first: what another one explains goes along with it."""
    joints, issue_total, rest_total = counted

    def explains(one: Finding, other: Finding) -> bool:
        """Whether nothing much is left of `other` among sources that agree about `one`."""
        joint = _joint(joints, _key(one), _key(other))
        return joint is not None and _is_explained(joint, issue_total, rest_total)

    kept: list[tuple[Finding, list[Finding]]] = []
    for finding in findings:
        explaining = next((entry for entry in kept if explains(entry[0], finding)), None)
        if explaining is None:
            # It may be the narrower reason of broader ones that were put before it.
            explained = [entry for entry in kept if explains(finding, entry[0])]
            kept = [entry for entry in kept if entry not in explained]
            along = [each for broader, others in explained for each in (broader, *others)]
            kept.append((finding, along))
        else:
            explaining[1].append(finding)
    return [DistinctFinding(finding, tuple(along)) for finding, along in kept]


def _is_explained(joint: Joint, issue_total: int, rest_total: int) -> bool:
    """The second value's lift among sources with the first, and among those without, put together."""
    issue_first, issue_second, issue_both = joint.issue
    rest_first, rest_second, rest_both = joint.rest
    whole = _ratio([(issue_second, issue_total, rest_second, rest_total)])
    within = _ratio(
        [
            (issue_both, issue_first, rest_both, rest_first),
            (issue_second - issue_both, issue_total - issue_first,
             rest_second - rest_both, rest_total - rest_first),
        ]
    )  # fmt: skip
    return abs(log(within)) <= LEFT * abs(log(whole))


def _ratio(strata: Sequence[tuple[int, int, int, int]]) -> float:
    """Mantel and Haenszel's: the ratio of shares that the strata have in common; 1 where they say none."""
    above = below = 0.0
    for issue_count, issue_total, rest_count, rest_total in strata:
        if issue_total + rest_total:
            # Half a source in each cell: one of none is no proof.
            above += (issue_count + 0.5) * (rest_total + 1) / (issue_total + rest_total + 2)
            below += (rest_count + 0.5) * (issue_total + 1) / (issue_total + rest_total + 2)
    return above / below if below else 1.0


def _joint(joints: Mapping[tuple[Key, Key], Joint], one: Key, other: Key) -> Joint | None:
    if (one, other) in joints:
        return joints[one, other]
    turned = joints.get((other, one))
    return turned.turned() if turned else None


def _turned(counts: tuple[int, int, int]) -> tuple[int, int, int]:
    first, second, both = counts
    return second, first, both


def _key(finding: Finding) -> Key:
    return finding.tag, finding.value
