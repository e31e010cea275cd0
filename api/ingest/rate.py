"""The rates of an organization, its projects and services, and the deliveries they refused."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from api.limits import SHOWN_AT
from api.rate_limit import RateLimit
from errata.errors import RateLimited
from errata.state.app_keys import ProjectRoute
from errata.state.ingest_limits import LimitKind, limits_of, organization_lines, per_minute, subject
from errata.state.token_buckets import Limit, TokenBuckets

USAGE_PAGE = "/settings/usage?tab=limits"
# Of each kind whose limit refuses deliveries: the first word of a project's outcome, and its name.
REFUSING = {
    LimitKind.LINES: ("project", "lines"),
    LimitKind.BYTES: ("project", "bytes"),
    LimitKind.SPIKES: ("spike", "spike protection"),
}
# Refusals of more hosts between two recordings are counted without the host.
MOST_REFUSED = 500


@dataclass(frozen=True, slots=True)
class Refused:
    """What refused a delivery. `project_id`: 0 for the organization's limit; `outcome`: as in the ledger;
    `host`: the sender, where it names one."""

    outcome: str
    project_id: int = 0
    service: str = ""
    host: str = ""


class Amount(NamedTuple):
    """What limits count of lines: how many, and their bytes."""

    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Share:
    """What a limit of a project or service counts of a delivery. `name`: of the limit, for people."""

    kind: LimitKind
    limit: Limit
    subject: str
    refused: Refused
    name: str


class LineRate:
    """A minute's lines or bytes at most at once, refilled evenly; a node takes a second's ahead.

    The limit of a service is below its project's, and that below the organization's: lines count for each.
    """

    def __init__(self, buckets: TokenBuckets, lines_per_minute: int) -> None:
        self._buckets = buckets
        self._limit = self._rate_of(organization_lines(lines_per_minute))
        self._limits: dict[Limit, RateLimit] = {}
        self._refused: defaultdict[int, Counter[Refused]] = defaultdict(Counter)
        self._lock = threading.Lock()

    def take(self, organization_id: int, line_count: int, host: str = "") -> None:
        """Raises RateLimited, and takes nothing, if too few are left."""
        try:
            self._limit.take(str(organization_id), line_count)
        except RateLimited as refused:
            self.give_back(organization_id, Counter([Refused("rate_limited", host=host)]))
            raise RateLimited(refused.retry_after_seconds, SHOWN_AT) from None

    def take_of_projects(
        self, organization_id: int, amounts: Mapping[ProjectRoute, Amount], line_count: int, host: str = ""
    ) -> None:
        """Takes the lines of a delivery, by route, from the limits of their services and projects.

        Raises RateLimited if one has too few left; then nothing is taken, and the organization gets back the
        `line_count` that were taken of its own.
        """
        taken = [(self._limit, str(organization_id), line_count)]
        for share, count in _shares(amounts):
            rate = self._limits.setdefault(share.limit, self._rate_of(share.limit))
            try:
                rate.take(share.subject, count)
            except RateLimited as refused:
                for earlier, subject, its_count in taken:
                    earlier.give_back(subject, its_count)
                self.give_back(organization_id, Counter([replace(share.refused, host=host)]))
                raise RateLimited(refused.retry_after_seconds, USAGE_PAGE, share.name) from None
            taken.append((rate, share.subject, count))

    def take_refused(self, organization_id: int) -> Counter[Refused]:
        """The deliveries refused since they were last taken, to be recorded with the next one stored."""
        with self._lock:
            return self._refused.pop(organization_id, Counter())

    def give_back(self, organization_id: int, refused: Counter[Refused]) -> None:
        """Counts refused deliveries that are not recorded yet."""
        with self._lock:
            counts = self._refused[organization_id]
            for one, count in refused.items():
                is_kept = one in counts or len(counts) < MOST_REFUSED
                counts[one if is_kept else replace(one, host="")] += count

    def _rate_of(self, limit: Limit) -> RateLimit:
        return RateLimit(self._buckets, limit, share=limit.most // 60)


def _shares(amounts: Mapping[ProjectRoute, Amount]) -> list[tuple[Share, int]]:
    """Lines and bytes by limit, those of services first: what they refuse asks no other limit."""
    by_share = Counter[Share]()
    for route, amount in amounts.items():
        for share in _of_route(route):
            by_share[share] += amount.bytes if share.kind is LimitKind.BYTES else amount.lines
    return sorted(by_share.items(), key=lambda one: (not one[0].refused.service, one[0].limit.name))


def _of_route(route: ProjectRoute) -> Iterator[Share]:
    limits = limits_of(route.limits)
    for service, own in ((route.service, limits.of_service), ("", limits.of_project)):
        for kind, (outcome, name) in REFUSING.items():
            if count := own.get(kind, 0):
                whose = f"service {service} in project {route.slug}" if service else f"project {route.slug}"
                yield Share(
                    kind,
                    per_minute(kind, count, service),
                    subject(route.project_id, service),
                    Refused(f"{'service' if service else outcome}_rate_limited", route.project_id, service),
                    f"{name} of {whose}",
                )
