"""What is counted: sources with a tag's value, of the issue and of the rest, by environment and time."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

Key = TypeVar("Key")
ENVIRONMENT = "environment"
# Tags that name whom users belong to; the first of an event counts. Users of one tenant are alike, and an
# issue strikes or spares them together.
TENANT_TAGS = (
    *("tenant", "tenant_id", "tenant.id"),
    *("organization", "organization_id", "organization.id", "org", "org_id"),
    *("account_id", "account.id", "customer", "customer_id", "customer.id"),
    *("workspace", "workspace_id", "company", "company_id", "shop_id", "site_id"),
)
# An issue is of few hours if so many hours of the day hold this share of its sources: they are told apart.
FEW_HOURS, SHARE_OF_FEW_HOURS = 6, 0.9
QUARTERS = 8
"""Of the day, on workdays and weekends; parts of the week from here on are single hours."""
# A difference that rests on one of so many largest clients of either side is none: it may be one visitor's.
LARGEST_CLIENTS = 2
# Time parts are given up where the rest has nothing at the time of more of the issue's sources than this.
MOST_LEFT_OUT = 0.1


class Stratum(NamedTuple):
    """Sources that are compared with each other: of one environment and part of the week.

    `is_known`: it is known which sources are of the same user or tenant. `client`: which of the largest
    clients of unknown users it is, the issue's first; 0: another.
    """

    environment: str
    week_part: int = 0
    is_known: bool = True
    client: int = 0

    def without_environment(self) -> "Stratum":
        return self._replace(environment="")

    def without_time(self) -> "Stratum":
        return self._replace(week_part=0)

    def of_anybody(self) -> "Stratum":
        return self._replace(is_known=False)

    def of_any_client(self) -> "Stratum":
        return self._replace(client=0)


# The sources of the issue and of the rest.
Pair = tuple[int, int]
Counts = Mapping[Stratum, Pair]


@dataclass(frozen=True, slots=True)
class Value:
    tag: str
    value: str
    counts: Counts


@dataclass(frozen=True)
class Traffic:
    """`products`: for each two strata (also a stratum with itself), each cluster's sources in the one times
    those in the other, added up. A cluster is whatever may be one user, tenant or failing job."""

    counts: Counts
    products: Mapping[tuple[Stratum, Stratum], Pair]
    values: Sequence[Value] = field(default_factory=list)

    def joined(self, joined: Callable[[Stratum], Stratum]) -> "Traffic":
        """Strata that become the same are one."""
        return Traffic(
            _sums((joined(stratum), pair) for stratum, pair in self.counts.items()),
            _sums(((joined(one), joined(other)), pair) for (one, other), pair in self.products.items()),
            [
                Value(
                    each.tag,
                    each.value,
                    _sums((joined(stratum), pair) for stratum, pair in each.counts.items()),
                )
                for each in self.values
            ],
        )

    @property
    def of_known(self) -> "Traffic":
        """Without sources that may be anybody's."""
        return self._where(lambda stratum: stratum.is_known)

    @property
    def without_clients(self) -> "list[Traffic]":
        """Without each of the largest clients, and without the issue's own."""
        ranks = {stratum.client for stratum in self.counts} - {0}
        groups = [{rank} for rank in sorted(ranks)] + [set(range(1, LARGEST_CLIENTS + 1)) & ranks]
        return [self._where(partial(_is_of_others, group)) for group in groups if group]

    def of_value(self, tag: str, value: str) -> "Traffic":
        """With this value alone."""
        own = [each for each in self.values if (each.tag, each.value) == (tag, value)]
        return replace(self, values=own or [Value(tag, value, {})])

    def _where(self, holds: Callable[[Stratum], bool]) -> "Traffic":
        return Traffic(
            {stratum: pair for stratum, pair in self.counts.items() if holds(stratum)},
            {strata: pair for strata, pair in self.products.items() if all(map(holds, strata))},
            [
                Value(each.tag, each.value, own)
                for each in self.values
                if (own := {stratum: pair for stratum, pair in each.counts.items() if holds(stratum)})
            ],
        )

    @property
    def by_time(self) -> "Traffic":
        """With parts of the week, if the rest has sources in those of nearly all of the issue's, or if the
        issue is of few hours: what swings with the time would differ without them."""
        if any(issue for stratum, (issue, _) in self.counts.items() if stratum.week_part >= QUARTERS):
            return self
        whole = self.joined(Stratum.without_time)
        comparable = sum(self.counts[stratum][0] for stratum in self.compared)
        return (
            self
            if comparable >= (1 - MOST_LEFT_OUT) * sum(whole.counts[each][0] for each in whole.compared)
            else whole
        )

    def rest_share(self, tag: str, value: str) -> float:
        """Of all sources of the rest."""
        count = sum(
            rest
            for each in self.values
            if (each.tag, each.value) == (tag, value)
            for _, rest in each.counts.values()
        )
        return count / max(1, sum(rest for _, rest in self.counts.values()))

    @property
    def compared(self) -> list[Stratum]:
        """The strata in which both have sources."""
        return [stratum for stratum, (issue, rest) in self.counts.items() if issue and rest]


@dataclass(frozen=True, slots=True)
class Table:
    """Two shares and how many independent sources each of them rests on."""

    issue_share: float
    issue_total: float
    rest_share: float
    rest_total: float

    @property
    def share(self) -> float:
        """Of both sides together."""
        total = self.issue_total + self.rest_total
        return (self.issue_share * self.issue_total + self.rest_share * self.rest_total) / total

    @property
    def chi_square(self) -> float:
        spread = self.share * (1 - self.share) * (1 / self.issue_total + 1 / self.rest_total)
        return (self.issue_share - self.rest_share) ** 2 / spread

    def whole(self) -> tuple[int, int, int, int]:
        """Whole sources for the exact test, rounded so that the difference never grows by it."""
        issue_total, rest_total = int(self.issue_total), int(self.rest_total)
        issue, rest = self.issue_share * issue_total, self.rest_share * rest_total
        if self.issue_share >= self.rest_share:
            return _down(issue), issue_total, min(_up(rest), rest_total), rest_total
        return min(_up(issue), issue_total), issue_total, _down(rest), rest_total


class Comparison:
    """The rest is weighted to the issue's own mix of strata, so that the mix is not what differs.

    As many independent sources would tell as much as these: Kish's effective size, of clusters of sources, by
    `inflation`.
    """

    def __init__(self, traffic: Traffic, inflation: float = 1.0) -> None:
        self.strata = traffic.compared
        self.inflation = inflation
        self.issue_sources = sum(traffic.counts[stratum][0] for stratum in self.strata)
        self.rest_sources = sum(traffic.counts[stratum][1] for stratum in self.strata)
        # What a source of the rest weighs in each stratum.
        self._weights = {
            stratum: traffic.counts[stratum][0] / self.issue_sources / traffic.counts[stratum][1]
            for stratum in self.strata
        }
        products = np.array(
            [[traffic.products.get((one, other), (0, 0)) for other in self.strata] for one in self.strata],
            dtype=np.float64,
        ).reshape(len(self.strata), len(self.strata), 2)
        weights = np.array(list(self._weights.values()))
        issue_squares = float(products[..., 0].sum())
        rest_squares = float(weights @ products[..., 1] @ weights)
        self.issue_effective = self.issue_sources**2 / issue_squares / inflation if issue_squares else 0.0
        self.rest_effective = 1 / rest_squares / inflation if rest_squares else 0.0

    @property
    def effective(self) -> float:
        """Of the side that has fewer."""
        return min(self.issue_effective, self.rest_effective)

    def table(self, counts: Counts) -> Table:
        issue_count, _ = self.count(counts)
        rest_share = sum(
            weight * counts[stratum][1] for stratum, weight in self._weights.items() if stratum in counts
        )
        return Table(
            issue_share=issue_count / self.issue_sources,
            issue_total=self.issue_effective,
            rest_share=min(rest_share, 1.0),
            rest_total=self.rest_effective,
        )

    def count(self, counts: Counts) -> Pair:
        own = [counts[stratum] for stratum in self.strata if stratum in counts]
        return sum(pair[0] for pair in own), sum(pair[1] for pair in own)


def _is_of_others(clients: Collection[int], stratum: Stratum) -> bool:
    return stratum.client not in clients


def _sums(pairs: Iterable[tuple[Key, Pair]]) -> dict[Key, Pair]:
    sums: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0])
    for key, (issue, rest) in pairs:
        sums[key][0] += issue
        sums[key][1] += rest
    return {key: (issue, rest) for key, (issue, rest) in sums.items()}


def _down(number: float) -> int:
    # A whole number that floating point missed by a hair stays what it is.
    return int(number + 1e-6)


def _up(number: float) -> int:
    return -int(-number + 1e-6)
