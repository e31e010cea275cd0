"""Secrets in percent-encoded texts: the value of a parameter, or a path of a URL, encoded once or twice."""

from urllib.parse import parse_qs, quote, quote_plus

import msgspec
from errata_wire.secret_text import without_secrets

from errata.scrubbing import scrubbed
from tests.cases import each
from tests.secret_catalog import SECRETS, Secret

# Percent-encoded, a longer one says no more.
IN_TEXTS = [secret for secret in SECRETS if not secret.name and len(secret.text) < 400]


def is_left(text: str, secret: Secret) -> bool:
    return any(part in one for one in (text, *parse_qs(text).get("note", ())) for part in secret.gone)


@each("secret", IN_TEXTS)
def test_a_secret_known_by_its_form_is_lost_from_the_value_of_a_parameter(secret: Secret) -> None:
    for written in (quote(secret.text, safe=""), quote_plus(secret.text)):
        query = f"page=2&note={written}&sort=up"
        for path in (("request", "query_string"), ("breadcrumbs", "url"), ("extra", "note")):
            payload = {path[0]: {path[1]: query}}
            stored = msgspec.json.decode(scrubbed(msgspec.json.encode(payload)))[path[0]][path[1]]
            assert not is_left(stored, secret), stored
            if "[FILTERED]" not in written and stored != "[FILTERED]":
                assert stored.startswith("page=2&")


def test_what_is_left_of_the_text_stays_percent_encoded() -> None:
    sent = "/pay?a=1&note=paid%20by%204111%201111%201111%201111%20%26%20sent&b=2"
    assert without_secrets(sent) == "/pay?a=1&note=paid%20by%20[FILTERED]%20%26%20sent&b=2"
    twice = "/in?to=" + quote(quote("curl -u ann:hunter2Zs https://a.example", safe=""), safe="")
    assert "hunter2Zs" not in without_secrets(twice)


@each(
    "harmless",
    [
        "/search?q=caf%C3%A9%20cr%C3%A8me&page=2",
        "a%20password%20is%20required",
        "100%25 of all %s were %20s",
        "https://shop.example/a%2Fb?next=https%3A%2F%2Fshop.example%2Fcart%3Fid%3D7",
        "id=0af7651916cd43dd8448eb211c80319c%2D1",
    ],
)
def test_what_holds_no_secret_stays_as_it_is(harmless: str) -> None:
    assert without_secrets(harmless) == harmless


def test_a_password_told_in_brackets_is_lost() -> None:
    for sent in ("(the password is {})", "<Mail the password is {}>", "[Password for ann: {}]"):
        assert "cJGhbvdbCGak2x" not in without_secrets(sent.format("cJGhbvdbCGak2x"))
    assert without_secrets("a password is (given)") == "a password is (given)"
