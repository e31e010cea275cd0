"""Whose pages may write; the tests of the intake and the tunnel send requests of such pages."""

from errata_wire.address import sender
from errata_wire.origin import Origins

from tests.cases import each

SHOP = "https://shop.example.com"


def origins(*listed: str) -> Origins:
    return Origins(listed, allowed_headers="content-type", exposed_headers="Retry-After", remedy="list it")


@each(
    ("listed", "origin", "expected"),
    [
        (SHOP, SHOP, True),
        (f"{SHOP}/", SHOP, True),
        (SHOP, "HTTPS://SHOP.example.com", True),
        (SHOP, "http://shop.example.com", False),
        (SHOP, f"{SHOP}:444", False),
        (SHOP, f"{SHOP}.evil.example", False),
        (SHOP, "https://shopxexample.com", False),
        (SHOP, "null", False),
        (SHOP, "", False),
        ("https://*.example.com", SHOP, True),
        ("https://*.example.com", "https://a.b.example.com", True),
        ("https://*.example.com", "https://example.com", False),
        ("https://*.example.com", "https://evil.example/.example.com", False),
        ("https://*.example.com", "https://x.example.com:444", False),
        ("app://shop", "app://shop", True),
        ("*", "https://anything.example", True),
        ("*", "", False),
    ],
)
def test_an_origin_is_listed_by_its_name_or_a_wildcard(listed: str, origin: str, expected: bool) -> None:
    assert (origin in origins(listed)) is expected
    assert (origins(listed).cors_headers({"origin": origin}) != {}) is expected


def test_a_listed_page_reads_the_response_and_may_ask_first() -> None:
    read = {"Access-Control-Allow-Origin": SHOP, "Access-Control-Expose-Headers": "Retry-After"}
    assert origins(SHOP).cors_headers({"origin": SHOP}) == {**read, "Vary": "Origin"}
    asked = origins(SHOP).cors_headers({"origin": SHOP, "access-control-request-method": "POST"})
    assert asked["Access-Control-Allow-Methods"] == "POST"
    assert asked["Access-Control-Allow-Headers"] == "content-type"
    assert origins(SHOP).cors_headers({}) == {}


def test_a_refusal_says_the_origin_in_part_and_the_remedy() -> None:
    refusal = origins(SHOP).refusal("x" * 300)
    assert refusal.status == 403
    assert refusal.detail == f"pages from {'x' * 200} are not allowed; list it"


@each(
    ("peer", "forwarded_for", "trusted_proxies", "expected"),
    [
        ("198.51.100.7", "", 0, "198.51.100.7"),
        ("fe80::1%eth0", "", 0, "fe80::1"),
        ("10.0.0.1", "203.0.113.1, 198.51.100.7", 0, "10.0.0.1"),
        ("10.0.0.1", "203.0.113.1, 198.51.100.7", 1, "198.51.100.7"),
        ("10.0.0.1", "203.0.113.1, 198.51.100.7", 2, "203.0.113.1"),
        ("10.0.0.1", "198.51.100.7", 2, None),
        ("10.0.0.1", "", 1, None),
        ("::ffff:198.51.100.7", "", 0, "198.51.100.7"),
        ("10.0.0.1", "[2001:db8::1]:4711", 1, "2001:db8::1"),
        ("10.0.0.1", "198.51.100.7:4711", 1, "198.51.100.7"),
        ("unix:", "", 0, None),
        ("", "", 0, None),
    ],
)
def test_the_sender_is_the_address_that_the_outermost_trusted_proxy_saw(
    peer: str, forwarded_for: str, trusted_proxies: int, expected: str | None
) -> None:
    headers = {"x-forwarded-for": forwarded_for} if forwarded_for else {}
    found = sender(peer, headers, trusted_proxies)
    assert (found and str(found)) == expected
