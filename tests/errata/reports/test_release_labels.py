from errata.reports.release_labels import release_labels
from tests.cases import each


@each(
    ("releases", "labels"),
    [
        (["shop@1.1.0", "shop-web@1.1.0"], ["shop 1.1.0", "shop-web 1.1.0"]),
        (["storefront-web@1.1.0", "storefront-api@1.1.0"], ["storefro… 1.1.0", "storefro… 1.1.0"]),
        (["storefront-web@1.1.0", "storefront-web@1.2.0"], ["1.1.0", "1.2.0"]),
        (["shop@0123456789abcdef"], ["0123456…9abcdef"]),
        (["1.0", ""], ["1.0", ""]),
        ([], []),
    ],
)
def test_labels(releases: list[str], labels: list[str]) -> None:
    found = release_labels(releases, 15)
    assert all(len(label) <= 15 for label in found)
    assert len(set(found)) == len(set(releases))
    if len(set(labels)) == len(set(releases)):
        assert found == labels
