from errata.search.terms import Operator
from errata.search.versions import compares, order
from tests.cases import each

RISING = [
    "1.0",
    "2.0.0-alpha",
    "2.0.0-alpha.1",
    "2.0.0-alpha.beta",
    "2.0.0-rc.2",
    "2.0.0-rc.10",
    "2",
    "2.9.1",
    "2.10.0",
]


def test_versions_are_ordered_as_semantic_versions() -> None:
    orders = [order(version) for version in RISING]
    assert None not in orders and orders == sorted(orders)  # type: ignore[type-var]
    assert len(set(orders)) == len(RISING)


@each(
    ("release", "operator", "wanted", "is_fulfilled"),
    [
        ("shop@2.10.0", Operator.AT_LEAST, "2.9", True),
        ("shop@2.10.0", Operator.GREATER, "2.10", False),
        ("shop@2.10.0", Operator.AT_MOST, "2.10", True),
        ("shop@2.9.0", Operator.LESS, "2.10.0", True),
        ("shop@2.10.0", Operator.AT_LEAST, "shop@2.9", True),
        ("till@2.10.0", Operator.AT_LEAST, "shop@2.9", False),
        ("v3.0", Operator.GREATER, "2.10.0+build.7", True),
        ("3f2a9c1d", Operator.GREATER, "2.0", False),
        ("2.0", Operator.GREATER, "main", False),
    ],
)
def test_a_release_is_compared_by_its_version(
    release: str, operator: Operator, wanted: str, is_fulfilled: bool
) -> None:
    assert compares(release, operator, wanted) is is_fulfilled
