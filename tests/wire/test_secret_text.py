"""Which names hold a secret, and which texts are looked into; SDK and server have tests of scrubbing."""

from errata_wire.secret_text import FILTERED, is_sensitive, suspects, without_secrets
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each
from tests.secret_catalog import PLANTED, Secret

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


def test_a_number_is_a_cards_by_its_network_and_its_check_digit() -> None:
    assert without_secrets("paid by 4242 4242 4242 4242") == f"paid by {FILTERED}"
    for text in ("order 4242 4242 4242 4243", "order 4242424242424241", "order 9242 4242 4242 4242"):
        assert without_secrets(text) == text
