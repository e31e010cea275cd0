from errata.differences.dominance import SourceCount, SourceKind, dominant_source
from errata.differences.traffic import Stratum, Traffic, Value
from tests.cases import each

PRODUCTION = Stratum("production")


def traffic(rest_share: float) -> Traffic:
    value = Value("tenant", "acme", {PRODUCTION: (50, round(100 * rest_share))})
    return Traffic({PRODUCTION: (100, 100)}, {}, [value])


def largest(kind: SourceKind, event_count: int, source_count: int = 60) -> SourceCount:
    return SourceCount(kind, "tenant" * (kind is SourceKind.TENANT), "acme", event_count, 100, source_count)


@each(
    ("one", "is_named"),
    [
        (largest(SourceKind.USER, 40), True),
        (largest(SourceKind.USER, 8), False),
        (largest(SourceKind.USER, 40, source_count=3), False),
        (largest(SourceKind.USER, 80, source_count=2), True),
        (SourceCount(SourceKind.USER, "", "ada", 4, 5, 2), False),
    ],
    ids=["40% of the events", "8%", "40% of three users", "80% of two users", "four events"],
)
def test_a_source_with_many_times_the_events_of_an_average_one_is_named(
    one: SourceCount, is_named: bool
) -> None:
    assert (dominant_source([one], traffic(0.1)) is one) is is_named


def test_the_narrowest_dominating_source_is_named() -> None:
    tenant, user = largest(SourceKind.TENANT, 60), largest(SourceKind.USER, 40)
    assert dominant_source([tenant, user], traffic(0.1)) is user
    assert dominant_source([tenant, largest(SourceKind.USER, 5)], traffic(0.1)) is tenant


def test_a_tenant_as_frequent_in_other_issues_is_not_named() -> None:
    assert dominant_source([largest(SourceKind.TENANT, 60)], traffic(0.5)) is None
