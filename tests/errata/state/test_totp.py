"""Codes against the test vectors of RFC 6238."""

import base64
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from errata.state.totp import (
    RECOVERY_ALPHABET,
    generate_recovery_code,
    generate_secret,
    normalized_code,
    provisioning_uri,
    step_of_code,
)
from tests.cases import each

# RFC 6238, appendix B, SHA-1: the last six of the eight digits there.
SECRET = base64.b32encode(b"12345678901234567890").decode()
VECTORS = {
    59: "287082",
    1111111109: "081804",
    1111111111: "050471",
    1234567890: "005924",
    2000000000: "279037",
    20000000000: "353130",
}


@each(("seconds", "code"), VECTORS.items())
def test_codes_are_those_of_the_rfc(seconds: int, code: str) -> None:
    assert step_of_code(SECRET, code, datetime.fromtimestamp(seconds, UTC)) == seconds // 30


@each(("offset", "is_accepted"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_code_holds_one_step_either_way(offset: int, is_accepted: bool) -> None:
    at = datetime.fromtimestamp(1111111111, UTC)
    found = step_of_code(SECRET, "050471", at - offset * timedelta(seconds=30))
    assert found == (1111111111 // 30 if is_accepted else None)


@each("code", ["", "05047", "0504711", "abcdef", "000000"])
def test_anything_else_is_of_no_step(code: str) -> None:
    assert step_of_code(SECRET, code, datetime.fromtimestamp(1111111111, UTC)) is None


def test_a_secret_has_160_bits_and_its_address_names_the_person() -> None:
    secret = generate_secret()
    assert len(base64.b32decode(secret)) == 20
    address = urlsplit(provisioning_uri(secret, "ann+a&b@example.org"))
    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert parse_qs(address.query) == {"secret": [secret], "issuer": ["Errata"]}


def test_recovery_codes_are_read_as_people_type_them() -> None:
    code = generate_recovery_code()
    assert set(code) <= {*RECOVERY_ALPHABET, "-"} and len(code) == 19
    assert normalized_code(f" {code.lower().replace('-', ' ')} ") == code.replace("-", "")
    assert normalized_code("123 456") == "123456"
