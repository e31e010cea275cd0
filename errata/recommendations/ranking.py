"""Every rule over the same page loads; what would save most comes first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from errata.recommendations.cause_rules import slow_handlers
from errata.recommendations.file_rules import of_files
from errata.recommendations.page_rules import of_pages
from errata.recommendations.recommendation import Recommendation
from errata.recommendations.slow_endpoint import slow_endpoints
from errata.recommendations.third_party import third_parties
from errata.recommendations.uncached import uncached
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.page_views import PageRow
from errata.warehouse.queries.performance.refetched import Refetched
from errata.warehouse.queries.performance.sampled_loads import SampledLoads

# A rule that fewer loads speak for says more about chance than about the page.
FEWEST_LOADS = 20


@dataclass(frozen=True, slots=True)
class Observed:
    """`pages` of the whole period; `seen` and `served`: endpoints as pages and servers saw them."""

    pages: Sequence[PageRow]
    looked_at: SampledLoads
    seen: Sequence[EndpointRow] = field(default_factory=list)
    served: Sequence[EndpointRow] = field(default_factory=list)
    refetched: Refetched = field(default_factory=lambda: Refetched([]))


def recommendations(observed: Observed) -> list[Recommendation]:
    loads, one_of = observed.looked_at.loads, observed.looked_at.one_of
    of_loads = [
        *of_files(loads),
        *third_parties(loads),
        *slow_endpoints(loads, observed.seen, observed.served),
        *slow_handlers(loads),
    ]
    found = [
        *_spoken_for(of_pages(observed.pages, loads)),
        *_spoken_for(uncached(observed.refetched)),
        *(replace(each, load_count=each.load_count * one_of) for each in _spoken_for(of_loads)),
    ]
    return sorted(found, key=_first)


def _spoken_for(found: Iterable[Recommendation]) -> list[Recommendation]:
    return [each for each in found if each.load_count >= FEWEST_LOADS]


def _first(each: Recommendation) -> tuple[float, float, str, str, str]:
    return -each.weight[0], -each.weight[1], each.rule, each.subject, each.page
