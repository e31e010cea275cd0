from api.ingest.addresses import host_and_path, storable, without_queries
from tests.cases import each


@each(
    ("address", "expected"),
    [
        ("https://anna:pw@shop.example/a/b?token=1#c", "https://shop.example/a/b"),
        ("/api/items?key=1", "/api/items"),
        ("//cdn.example/a.js?v=1", "//cdn.example/a.js"),
        ("data:image/png;base64,AAAA", "data:"),
        ("blob:https://shop.example/1234", "blob:"),
        ("https://shop.example/reset/a8Fk29xLq0Zt7Bv4Nw1Pm6", "https://shop.example/reset/{token}"),
        ("https://shop.example/a/app-3f9a2bc4.js", "https://shop.example/a/app-3f9a2bc4.js"),
        (
            "https://shop.example/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "https://shop.example/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        ),
        ("http://[::1", ""),
    ],
)
def test_what_is_stored_holds_no_query_credentials_or_token(address: str, expected: str) -> None:
    assert storable(address) == expected


def test_a_host_keeps_its_port() -> None:
    assert host_and_path("http://u:p@a.example:8080/b?c") == ("a.example:8080", "/b")
    assert host_and_path("/b?c") == ("", "/b")


def test_urls_within_text_lose_their_queries() -> None:
    assert without_queries("GET https://a.example/b?token=s3cret then /c?x=1") == (
        "GET https://a.example/b then /c"
    )
    assert without_queries("what? nothing") == "what? nothing"


@each(
    ("text", "expected"),
    [
        ("GET https://anna:pw@shop.example/a?token=1", "GET https://shop.example/a"),
        ("seen at //cdn.example/x#y and /a/b?c", "seen at //cdn.example/x and /a/b"),
        ("1+http://a/b?c", "1+http://a/b"),
        ("a.b-c:d//host/x?y", "a.b-c:d//host/x"),
        ("what? no address # here", "what? no address # here"),
        ("http://", "http://"),
        ('<a href="https://a/b?c">', '<a href="https://a/b">'),
    ],
)
def test_addresses_within_a_text_lose_their_queries(text: str, expected: str) -> None:
    assert without_queries(text) == expected
