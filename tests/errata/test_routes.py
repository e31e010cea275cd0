from errata.routes import RouteTree, path_of, template
from tests.cases import each


@each(
    ("address", "expected"),
    [
        ("/", "/"),
        ("", "/"),
        ("/products/19", "/products/{id}"),
        ("/products/19/reviews/7?page=2#top", "/products/{id}/reviews/{id}"),
        ("https://shop.example/cart?token=abc", "/cart"),
        ("https://shop.example", "/"),
        ("//cdn.example/a/1", "/a/{id}"),
        ("/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/users/{id}"),
        ("/users/3f2504e04f8911d39a0c0305e82c3301", "/users/{id}"),
        ("/commits/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commits/{id}"),
        ("/orders/SKU-014", "/orders/{id}"),
        ("/orders/order_123/items", "/orders/{id}/items"),
        ("/by/anna@example.org", "/by/{id}"),
        ("/by/anna%40example.org", "/by/{id}"),
        ("/archive/2026-11-21", "/archive/{id}"),
        ("/prices/12.50", "/prices/{id}"),
        ("/invoices/1234.pdf", "/invoices/{id}.pdf"),
        ("/s/a1b2c3d4e5", "/s/{id}"),
        ("/reset/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3", "/reset/{id}"),
        ("/api/v1/health", "/api/v1/health"),
        ("/oauth2/callback", "/oauth2/callback"),
        ("/blog/ten-ways-to-cook-rice", "/blog/ten-ways-to-cook-rice"),
        ("/docs/utf8/sha256/mp3", "/docs/utf8/sha256/mp3"),
        ("/assets/app.min.js", "/assets/app.min.js"),
        ("/orders/:id/items/{ref}", "/orders/:id/items/{ref}"),
        ("/products/", "/products/"),
        ("http://[::1", "/"),
    ],
)
def test_segments_that_vary_become_id(address: str, expected: str) -> None:
    assert template(address) == expected
    assert template(expected) == expected, "a template is its own template"


def test_a_path_is_cut_of_its_query() -> None:
    assert path_of("http://a.example:80/b/c?d#e") == "/b/c"
    assert path_of("b") == "/b"


@each(
    ("path", "fits"),
    [
        ("/", True),
        ("/stock/rug/", True),
        ("/stock/{id}", True),
        ("/stock/featured/reviews", True),
        ("/files/page-7", True),
        ("/files/page-", False),
        ("/stock", False),
        ("/stock/rug/reviews/1", False),
        ("/orders_view", False),
        ("/other/rug", False),
    ],
)
def test_a_path_fits_a_route_whose_segments_it_has(path: str, fits: bool) -> None:
    routes = (
        "/",
        "/stock/:sku",
        "/stock/featured",
        "/stock/<slug:sku>/reviews",
        "/files/page-{n}",
        "orders_view",
    )
    assert RouteTree.of(routes).fits(path) is fits
