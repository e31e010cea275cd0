import pytest

from errata.errors import InvalidParameter
from errata.performance.saved_view import LONGEST, address_of, can_be_saved, page_words, view_of
from tests.cases import each

HERE = "/projects/my%20shop/performance"


def test_equal_views_are_the_same_text_and_lead_back_to_their_page() -> None:
    view = view_of(f"{HERE}/endpoint?path=%2Fa%2F%7Bid%7D&method=GET&cursor=x&release=", "my shop")
    assert view == view_of(f"{HERE}/endpoint?method=GET&path=/a/{{id}}", "my shop")
    assert address_of(view, "my shop") == f"{HERE}/endpoint?method=GET&path=%2Fa%2F%7Bid%7D"
    assert view_of(HERE, "my shop") == "" and address_of("", "my shop") == HERE
    words = [
        page_words(view_of(HERE + rest, "my shop")) for rest in ("", "?tab=endpoints", "/trends?metric=cls")
    ]
    assert words == ["Overview", "API", "Trends"]


@each(
    "address",
    [
        "",
        "https://evil.example/projects/my%20shop/performance",
        "//evil.example/projects/my%20shop/performance",
        "javascript:alert(1)",
        "/projects/other/performance",
        "/projects/my%20shop/issues",
        "/projects/my%20shop/performanceevil",
        f"{HERE}/../settings",
        f"{HERE}/waterfall/00000000000000ff",
        f"{HERE}/reports",
        f"{HERE}?release=a\r\nSet-Cookie: x",
        f"{HERE}?release=" + "x" * LONGEST,
        "//[",
    ],
)
def test_only_performance_pages_of_the_project_can_be_saved(address: str) -> None:
    with pytest.raises(InvalidParameter):
        view_of(address, "my shop")
    assert not can_be_saved(address, "my shop")
