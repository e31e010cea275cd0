"""What is counted: sources with a tag's value, of the issue and of the rest, by environment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Side:
    """`square_sum`: of each cluster (one person, or one burst) its sources squared, added up."""

    source_count: int = 0
    square_sum: int = 0

    @property
    def effective(self) -> float:
        """As many independent sources would tell as much: Kish's effective size."""
        return self.source_count**2 / self.square_sum if self.square_sum else 0.0


@dataclass(frozen=True)
class Stratum:
    """One environment."""

    issue: Side
    rest: Side


# By environment, the sources of the issue and of the rest that have the value.
Counts = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Value:
    tag: str
    value: str
    counts: Counts


@dataclass(frozen=True)
class Traffic:
    strata: Mapping[str, Stratum]
    values: Sequence[Value] = field(default_factory=list)

    @property
    def compared(self) -> dict[str, Stratum]:
        """The environments in which both have sources."""
        return {
            name: stratum
            for name, stratum in self.strata.items()
            if stratum.issue.source_count and stratum.rest.source_count
        }


@dataclass(frozen=True, slots=True)
class Table:
    """Two shares and how many independent sources each of them rests on."""

    issue_share: float
    issue_total: float
    rest_share: float
    rest_total: float

    def whole(self) -> tuple[int, int, int, int]:
        """Whole sources for the exact test, rounded so that the difference never grows by it."""
        issue_total, rest_total = int(self.issue_total), int(self.rest_total)
        issue, rest = self.issue_share * issue_total, self.rest_share * rest_total
        if self.issue_share >= self.rest_share:
            return _down(issue), issue_total, min(_up(rest), rest_total), rest_total
        return min(_up(issue), issue_total), issue_total, _down(rest), rest_total


def table(strata: Mapping[str, Stratum], counts: Counts) -> Table:
    """The rest is weighted to the issue's own mix of environments, so that the mix is not what differs."""
    issue_sources = sum(stratum.issue.source_count for stratum in strata.values())
    issue_squares = sum(stratum.issue.square_sum for stratum in strata.values())
    with_value, rest_share, rest_variance = 0, 0.0, 0.0
    for name, stratum in strata.items():
        issue_count, rest_count = counts.get(name, (0, 0))
        with_value += issue_count
        weight = stratum.issue.source_count / issue_sources
        rest_share += weight * rest_count / stratum.rest.source_count
        rest_variance += weight**2 / stratum.rest.effective
    return Table(
        issue_share=with_value / issue_sources,
        issue_total=issue_sources**2 / issue_squares,
        rest_share=min(rest_share, 1.0),
        rest_total=1 / rest_variance,
    )


def pooled(strata: Mapping[str, Stratum]) -> dict[str, Stratum]:
    """All environments as one: so environments themselves are compared."""
    return {
        "": Stratum(
            _sum([stratum.issue for stratum in strata.values()]),
            _sum([stratum.rest for stratum in strata.values()]),
        )
    }


def pooled_counts(counts: Counts) -> Counts:
    return {"": (sum(count[0] for count in counts.values()), sum(count[1] for count in counts.values()))}


def _sum(sides: Sequence[Side]) -> Side:
    return Side(
        sum(side.source_count for side in sides),
        sum(side.square_sum for side in sides),
    )


def _down(number: float) -> int:
    # A whole number that floating point missed by a hair stays what it is.
    return int(number + 1e-6)


def _up(number: float) -> int:
    return -int(-number + 1e-6)
