import json
import math
from pathlib import Path
from typing import Any

from errata_sdk import scrub
from errata_sdk.line import line_of
from errata_sdk.scrub import scrubbed
from errata_sdk.secret_text import FILTERED, is_sensitive, suspects, without_secrets
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each
from tests.secret_catalog import HARMLESS as HARMLESS_TEXTS
from tests.secret_catalog import HARMLESS_SOURCE, PLANTED, SOURCE_WITH_SECRETS, Secret


def written(payload: Any) -> Any:
    return json.loads(line_of("event", "key", {}, payload))["payload"]


SENSITIVE = """
    password Passwd user_password passwordConfirmation db.password secret client-secret token accessToken
    refresh_token X-Auth-Token api_key apiKey X-Api-Key APIKEY Authorization
    Proxy-Authorization Cookie Set-Cookie sessionid PHPSESSID csrf_token credit_card creditCard card_number
    cardNumber cvv card-cvc iban ssn private_key aws_secret_access_key auth jwt credentials
    mytoken stripetoken oauth user_auth httpAuth haslo hasło Пароль
    smtp_pass dbPass db_pw userPw psw X-Amz-Signature X-Goog-Signature X-Hub-Signature-256 oauth_signature
    X-Auth
    X-Session errata_session laravel_session hmac_key X-Shopify-Hmac-Sha256 license_key licenceKey fernet_key
    masterKey code_verifier connectionString connection_string security_answer secretAnswer account_number
    routingNumber mnemonic seed_phrase recoveryPhrase backup_code SAMLResponse social_security_number cc-csc
    cc_number Passwort kennwort mot_de_passe motDePasse mdp contraseña contrasena senha clave palavra_passe
    wachtwoord lösenord geheimnis jeton
"""
HARMLESS = """
    author authors card discard cookbook tokenizer max_tokens input_tokens key keyboard passenger compass
    session_count spin pinned transaction trace_id span_id public_key in_app description sentry.op
    answer method_signature first_pass bypass pwa pws enclave number code phrase motor
    account accounts answers auth_user authority tokens_used oauth_provider user_auth_method
"""


@each("key", SENSITIVE.split())
def test_a_key_that_holds_a_secret_is_known(key: str) -> None:
    assert is_sensitive(key)


@each("key", HARMLESS.split())
def test_a_key_that_holds_none_is_left(key: str) -> None:
    assert not is_sensitive(key)


def test_secrets_are_filtered_at_any_depth_and_the_payload_itself_is_left() -> None:
    payload = {"extra": {"a": [{"deep": [{"password": "x", "name": "Ada"}]}]}}
    assert scrubbed(payload) == {"extra": {"a": [{"deep": [{"password": FILTERED, "name": "Ada"}]}]}}
    assert payload["extra"]["a"][0]["deep"][0]["password"] == "x"


def test_headers_and_queries_as_lists_of_pairs_are_filtered() -> None:
    request = {
        "headers": [["Cookie", "a=b"], ["Accept", "*/*"]],
        "query_string": [["token", "x"], ["page", "2"]],
    }
    assert written({"request": request})["request"] == {
        "headers": [["Cookie", FILTERED], ["Accept", "*/*"]],
        "query_string": [["token", FILTERED], ["page", "2"]],
    }


@each(
    ("sent", "expected"),
    [
        (["X-Token", "hunter2"], ["X-Token", FILTERED]),
        (["deploy", "--password", "hunter2", "--to"], ["deploy", "--password", FILTERED, "--to"]),
        ({"name": "dsn", "value": "hunter2"}, {"name": "dsn", "value": FILTERED}),
        ({"key": "password", "value": {"a": 1}}, {"key": "password", "value": FILTERED}),
        ({"loc": ["body", "pin"], "input": "hunter2"}, {"loc": ["body", "pin"], "input": FILTERED}),
        ({"of https://ann:hunter2@a.example": 1}, {f"of https://ann:{FILTERED}@a.example": 1}),
        ('[["X-Token", "hunter2"]]', f'[["X-Token", "{FILTERED}"]]'),
        (4111111111111111, FILTERED),
    ],
)
def test_a_name_and_its_value_are_met_at_any_place(sent: Any, expected: Any) -> None:
    for payload, clean in (({"extra": {"a": sent}}, expected), ({"extra": {"a": [1, sent]}}, [1, expected])):
        assert written(payload)["extra"]["a"] == clean
    assert written({"modules": {"sdk": {"token": "1.2"}}, "extra": {"sdk": {"token": "1.2"}}}) == {
        "modules": {"sdk": {"token": "1.2"}},
        "extra": {"sdk": {"token": FILTERED}},
    }


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_name_with_a_secret_is_written_without_it(case: Secret) -> None:
    names = {case.text: "x"}
    clean = json.dumps(written({"extra": names, "request": {"cookies": names}, "modules": names}))
    assert not [secret for secret in case.gone if secret in clean or json.dumps(secret)[1:-1] in clean]


def test_what_is_known_as_harmless_holds_no_secret_and_is_bounded() -> None:
    for number in range(40):
        written({"extra": {"a": [f"password=hunter2z{number}", *(f"{number} {n}" for n in range(1000))]}})
    written({"extra": {"context_line": "password = 'hunter2z'", "a": "x" * 201}})
    for harmless in scrub.HARMLESS:
        assert not [text for text in harmless if "hunter2" in text or len(text) > 200]
        assert len(harmless) <= scrub.HARMLESS_MAX + 1001
    assert "7 7" not in scrub.HARMLESS[False] and "39 7" in scrub.HARMLESS[False]


def test_names_of_cookies_stay() -> None:
    assert written({"request": {"cookies": {"theme": "dark", "sid": "x"}}})["request"]["cookies"] == {
        "theme": FILTERED,
        "sid": FILTERED,
    }


@each(
    ("key", "value", "expected"),
    [
        ("url", "https://a.example/x?token=abc&page=2", f"https://a.example/x?token={FILTERED}&page=2"),
        ("query_string", "api_key=1&q=shoes", f"api_key={FILTERED}&q=shoes"),
        ("data", "user=ada&password=x%20y", f"user=ada&password={FILTERED}"),
        ("data", '{"user": "ada", "password": "x"}', f'{{"user": "ada", "password": "{FILTERED}"}}'),
        ("data", '{"user": "ada", "password": "x', FILTERED),
    ],
    ids=["url", "query", "form", "json", "json cut off"],
)
def test_secrets_inside_of_texts_are_filtered(key: str, value: str, expected: str) -> None:
    assert written({"request": {key: value}})["request"][key] == expected


@each(
    ("printed", "expected"),
    [
        ("Login(user='ada', password='hunter2')", "Login(user='ada', password='[FILTERED]')"),
        ("{'api_key': \"k1\", 'n': 2}", "{'api_key': \"[FILTERED]\", 'n': 2}"),
        ("<Request '/pay?token=t0p&page=2' [GET]>", "<Request '/pay?token=[FILTERED]&page=2' [GET]>"),
        (
            "[(b'authorization', b'Bearer x'), (b'a', b'b')]",
            "[(b'authorization', b'[FILTERED]'), (b'a', b'b')]",
        ),
        ('select "user"."password", "user"."id"', 'select "user"."password", "user"."id"'),
        ("tokenizer said 'no' to the card", "tokenizer said 'no' to the card"),
    ],
)
def test_secrets_of_printed_objects_are_filtered(printed: str, expected: str) -> None:
    assert written({"vars": {"value": printed}}) == {"vars": {"value": expected}}


def test_of_source_lines_only_literals_are_filtered() -> None:
    for line in HARMLESS_SOURCE:
        assert written({"context_line": line, "pre_context": [line]}) == {
            "context_line": line,
            "pre_context": [line],
        }
    for line, secret in SOURCE_WITH_SECRETS:
        assert secret not in json.dumps(written({"context_line": line, "post_context": [line]}))


@each("case", PLANTED, ids=lambda case: case.id)
def test_secrets_inside_of_any_text_are_filtered(case: Secret) -> None:
    clean = json.dumps(written({"message": case.text, "extra": {"list": [case.text]}}))
    assert not [secret for secret in case.gone if secret in clean or json.dumps(secret)[1:-1] in clean]


@each("text", HARMLESS_TEXTS)
def test_harmless_texts_are_written_as_they_are(text: str) -> None:
    assert written({"message": text, "extra": {"list": [text]}}) == {
        "message": text,
        "extra": {"list": [text]},
    }


def test_the_sdk_knows_secrets_by_the_rules_of_the_server() -> None:
    root = Path(__file__).parents[2]
    own = root / "sdk" / "errata_sdk" / "secret_text.py"
    assert own.read_text() == (root / "errata" / "scrubbing" / "secret_text.py").read_text()


def test_typed_attributes_of_spans_keep_their_shape() -> None:
    attributes = {"http.request.header.authorization": {"value": "Bearer x", "type": "string"}}
    assert written({"items": [{"attributes": attributes}]})["items"][0]["attributes"] == {
        "http.request.header.authorization": {"value": FILTERED, "type": "string"}
    }


def test_what_the_sentry_sdk_filtered_is_written_as_ours() -> None:
    assert (
        written({"request": {"headers": {"Accept": "[Filtered]"}}})["request"]["headers"]["Accept"]
        == FILTERED
    )


def test_notes_about_changes_are_left_alone() -> None:
    payload = {"_meta": {"request": {"headers": {"Cookie": {"": {"rem": [["!config", "x", 0, 10]]}}}}}}
    assert written(payload) == payload


def test_what_json_cannot_say_is_said_as_text() -> None:
    odd = {"nan": math.nan, "big": math.inf, "surrogate": "\ud800", ("a", 1): {1, 2} and 5, "object": object}
    clean = written(odd)
    assert (clean["nan"], clean["big"], clean["surrogate"]) == ("nan", "inf", "\ud800")
    assert clean["('a', 1)"] == 5
    assert clean["object"] == "<class 'object'>"


NAMES = ["password", "API-Key", "x_token", "tokené", "Authorization", "card_number", "cookie", "cvv", "note"]
QUOTED = st.sampled_from(["'", '"', ""])
PRINTED = st.tuples(
    st.sampled_from(["", "?a=1&", "{", "Login(", "(b'", "\\", "é "]),
    QUOTED,
    st.sampled_from(NAMES),
    QUOTED,
    st.sampled_from([": ", ":", "=", " = ", "\t:\n", "', b", "', ", ": b", "\u2003=", ""]),
    QUOTED,
    st.sampled_from(["hunter2", "\\\\", "é", "[FILTERED]", "\n", ""]),
    QUOTED,
    st.sampled_from(["", ")", "}", " and more"]),
).map("".join)


@settings(max_examples=400, deadline=None)
@given(st.lists(PRINTED, min_size=1, max_size=3), st.booleans())
def test_looking_for_certain_words_first_finds_all_that_looking_everywhere_does(
    printed: list[str], is_source: bool
) -> None:
    texts = [*printed, " ".join(printed)]
    passed_over = set(texts).difference(suspects(texts))
    assert [text for text in passed_over if without_secrets(text, is_source=is_source) != text] == []


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_text_with_a_secret_is_looked_into(case: Secret) -> None:
    assert suspects(["x", case.text, "y"]) == [case.text]
