"""Pages: only those that are allowed may write, whatever name they reach the intake by."""

import pytest

from tests.shipper.intake.listening import Listening, envelope

EVENT = envelope(("event", b"{}"))
SHOP = "https://shop.example.com"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:8123"},
        {"Origin": f"{SHOP}.evil.example"},
        {"Origin": "http://shop.example.com"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "rebound.evil.example"},
        {"Host": "127.0.0.1.evil.example:8123"},
    ],
    ids=lambda headers: str(next(iter(headers.items()))),
)
def test_a_page_that_is_not_allowed_writes_nothing(headers: dict[str, str], intake: Listening) -> None:
    intake.start(origins=(SHOP,))
    answer = intake.send("/api/1/envelope/", EVENT, headers)
    assert answer.status == 403
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert intake.content == b""


@pytest.mark.parametrize(
    ("origins", "origin"),
    [
        ((SHOP,), SHOP),
        (("https://*.example.com",), SHOP),
        (("https://*.example.com",), "https://a.b.example.com"),
        (("*",), "https://anything.example"),
        (("app://shop",), "app://shop"),
    ],
)
def test_an_allowed_page_writes_and_may_read_the_answer(
    origins: tuple[str, ...], origin: str, intake: Listening
) -> None:
    intake.start(origins=origins)
    answer = intake.send("/api/1/envelope/", EVENT, {"Origin": origin, "Content-Type": "text/plain"})
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
    assert len(intake.lines()) == 1


def test_a_wildcard_stands_for_names_below_a_domain_only(intake: Listening) -> None:
    intake.start(origins=("https://*.example.com",))
    for origin in ("https://example.com", "https://evil.example/.example.com", "https://x.example.com:444"):
        assert intake.send("/api/1/envelope/", EVENT, {"Origin": origin}).status == 403


def test_a_refused_answer_can_be_read_by_an_allowed_page_too(intake: Listening) -> None:
    intake.start(origins=(SHOP,))
    answer = intake.send("/api/1/envelope/", b"nonsense", {"Origin": SHOP})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (400, SHOP)


def test_a_browser_may_ask_first_for_an_allowed_page(intake: Listening) -> None:
    intake.start(origins=(SHOP,))
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    answer = intake.send("/api/1/envelope/", b"", {"Origin": SHOP, **asked}, method="OPTIONS")
    assert (answer.status, answer.headers["Access-Control-Allow-Methods"]) == (204, "POST")
    assert "content-encoding" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Access-Control-Allow-Private-Network"] == "true"
    refused = intake.send("/api/1/envelope/", b"", {"Origin": "https://evil.example"}, method="OPTIONS")
    assert refused.status == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8123", 200),
        ("[::1]:8123", 200),
        ("10.0.0.7", 200),
        ("localhost", 200),
        ("errata.localhost:8123", 200),
        ("shipper:8123", 200),
        ("SHIPPER", 200),
        ("shop.example.com", 200),
        ("other", 403),
        ("shipper@evil", 403),
    ],
)
def test_it_goes_by_its_addresses_and_the_names_it_was_given(
    host: str, status: int, intake: Listening
) -> None:
    intake.start(origins=(SHOP,), hosts=("shipper",))
    assert intake.send("/api/1/envelope/", EVENT, {"Host": host}).status == status


def test_programs_that_are_no_browsers_need_no_origin(intake: Listening) -> None:
    assert intake.send("/api/1/envelope/", EVENT).status == 200
    for method, status in (("GET", 405), ("PUT", 405)):
        assert intake.send("/api/1/envelope/", b"", method=method).status == status
    assert intake.send("/", b"").status == 404


def test_it_says_that_it_is_well(intake: Listening) -> None:
    assert intake.send("/health", b"", method="GET").json() == {"status": "ok"}
