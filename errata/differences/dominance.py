"""The one source that an issue is mostly about: a user, a visit, a request, a failing job, a tenant."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from errata.differences.traffic import Traffic

# Of the events, and how many times as many as an average source has.
LEAST_SHARE = 0.15
LEAST_TIMES = 5
MAJORITY = 0.5
FEWEST_EVENTS = 10
LEAST_TIMES_OF_REST = 2


class SourceKind(StrEnum):
    """Narrowest first: a user's dominance explains their tenant's."""

    USER = "user"
    REPLAY = "replay"
    TRACE = "trace"
    JOB = "job"
    TENANT = "tenant"


@dataclass(frozen=True)
class SourceCount:
    """The largest of the sources of a kind. `tag` is a tenant's."""

    kind: SourceKind
    tag: str
    name: str
    event_count: int
    all_events: int
    source_count: int

    @property
    def share(self) -> float:
        return self.event_count / self.all_events

    @property
    def is_dominant(self) -> bool:
        return self.event_count >= FEWEST_EVENTS and (
            self.share >= MAJORITY or self.share >= max(LEAST_SHARE, LEAST_TIMES / self.source_count)
        )


def dominant_source(largest: Iterable[SourceCount], traffic: Traffic) -> SourceCount | None:
    """The narrowest one that dominates. A tenant as frequent in the rest is no finding."""
    order = list(SourceKind)
    dominating = (
        each
        for each in largest
        if each.is_dominant
        and (
            each.kind is not SourceKind.TENANT
            or each.share >= LEAST_TIMES_OF_REST * traffic.rest_share(each.tag, each.name)
        )
    )
    return min(dominating, key=lambda each: order.index(each.kind), default=None)
