"""Single sign-on over HTTP: a real provider, and one that misbehaves in every way that matters."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pyotp
import pytest
from joserfc import jws, jwt
from joserfc.jwk import OctKey, RSAKey
from starlette.testclient import TestClient

from api.app import create_app
from api.oidc.configuration import configuration_of
from api.settings import ApiSettings
from dashboards.sign_in.sentences import REASONS, SENTENCES
from errata.errors import InvalidSettings
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.state.activity_actions import Action
from errata.state.users import Role
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Api, Prepared
from tests.cases import each
from tests.oidc_provider import ADA, Provider, configuration, dripping, outgoing, provider, real_provider

EMAIL = str(ADA["email"])
CALLBACK = "/api/auth/oidc/callback"


@pytest.fixture
def told() -> Iterator[Provider]:
    with provider() as running:
        yield running


def client_of(store: Store, issuer: str, **settings: Any) -> TestClient:
    away = Warehouse(NOWHERE)
    oidc = configuration(issuer, **settings)
    app = create_app(ApiSettings(), store, away, away, oidc=oidc, outgoing=outgoing())
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False)


@pytest.fixture
def client(store: Store, told: Provider) -> Iterator[TestClient]:
    with client_of(store, told.issuer) as started:
        yield started


def begun(client: TestClient, told: Provider, wanted: str = "/projects", code: str = "code") -> str:
    answer = client.get("/api/auth/oidc", params={"next": wanted})
    assert answer.status_code == 303, answer.text
    return told.authorize(answer.headers["location"], code)


def returned(client: TestClient, state: str, **others: str) -> str:
    """Where the browser is led in the end."""
    answer = client.get(CALLBACK, params={"state": state, "code": "code", **others})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def failed(location: str) -> tuple[str, str]:
    """The error of the sign-in page and its reason. The page has a sentence for it."""
    parts = urlsplit(location)
    assert parts.path == "/sign-in", location
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    error, reason = query["error"], query.get("reason", "")
    assert error in SENTENCES or (
        error == "oidc_token_invalid" and (reason in REASONS or reason == "malformed")
    )
    return error, reason


def session_of(client: TestClient) -> Any:
    return client.get("/api/auth/session").json()


def test_a_person_signs_in_by_a_real_provider(store: Store) -> None:
    with real_provider(ADA) as issuer, client_of(store, issuer) as client:
        location = client.get("/api/auth/oidc?next=/projects").headers["location"]
        assert urlsplit(location).path == "/oauth2/authorize"

        # The form of the provider, as a browser sends it.
        back = httpx2.post(location, data={"sub": "ada"}, timeout=20).headers["location"]
        query = urlsplit(back).query
        assert back.startswith("http://testserver" + CALLBACK)
        answer = client.get(f"{CALLBACK}?{query}")
        assert answer.headers["location"] == "/projects", answer.headers
        assert session_of(client)["email"] == EMAIL and session_of(client)["role"] == "member"
        # The same return again, in the same browser.
        assert failed(client.get(f"{CALLBACK}?{query}").headers["location"]) == ("oidc_sign_in_ended", "")
        # A sign-in of its own with the code that the provider gave for the former.
        state = parse_qs(urlsplit(client.get("/api/auth/oidc").headers["location"]).query)["state"][0]
        code = parse_qs(query)["code"][0]
        assert failed(returned(client, state, code=code)) == ("oidc_refused", "")


def test_a_new_person_gets_the_role_of_their_groups(client: TestClient, told: Provider, store: Store) -> None:
    assert returned(client, begun(client, told), session_state="ignored") == "/projects"
    assert session_of(client)["email"] == EMAIL and session_of(client)["role"] == "member"
    actions = [entry.action for entry in store.activity.entries(1, kind="user")]
    assert actions[:3] == [Action.USER_SIGNED_IN, Action.USER_IDENTITY_LINKED, Action.USER_CREATED]


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["developers", "admins"], "owner"),
        (["others"], "viewer"),
        ("admins", "viewer"),
        ("developers,admins", "viewer"),
        (["developers", 7], "viewer"),
        (7, "viewer"),
        (True, "viewer"),
        ([], "viewer"),
        (None, "viewer"),
        ({"developers": True}, "viewer"),
        ([["admins"]], "viewer"),
    ],
)
def test_the_most_powerful_group_counts(
    client: TestClient, told: Provider, groups: object, role: str
) -> None:
    told.claims["groups"] = groups
    returned(client, begun(client, told))
    assert session_of(client)["role"] == role


def test_roles_are_read_again_but_the_last_owner_stays(
    client: TestClient, told: Provider, store: Store, prepared: Prepared
) -> None:
    told.claims["groups"] = ["admins"]
    returned(client, begun(client, told))
    told.claims["groups"] = ["developers"]
    returned(client, begun(client, told))
    assert session_of(client)["role"] == "member"
    # The owner of the first start, whose groups say less.
    told.claims.update(sub="owner", email=prepared.account.email, groups=[])
    returned(client, begun(client, told))
    assert session_of(client)["role"] == "owner"
    kept = [entry for entry in store.activity.entries(1) if entry.action is Action.USER_ROLE_KEPT]
    assert [entry.subject for entry in kept] == [f"{prepared.account.email}: the only owner, not viewer"]


def test_a_group_can_be_needed(store: Store, told: Provider) -> None:
    told.claims["groups"] = ["others"]
    with client_of(store, told.issuer, default_role=None) as client:
        assert failed(returned(client, begun(client, told))) == ("oidc_no_role", "")
        told.claims["groups"] = ["developers"]
        assert returned(client, begun(client, told)) == "/projects"
        told.claims["groups"] = []
        assert failed(returned(client, begun(client, told))) == ("oidc_no_role", "")


def test_without_a_mapping_groups_change_nothing(store: Store, told: Provider) -> None:
    with client_of(store, told.issuer, role_of_group={}, default_role=Role.MEMBER) as client:
        returned(client, begun(client, told))
        user_id = next(each.id for each in store.users.of_organization(1) if each.email == EMAIL)
        store.members.change_role(1, user_id, Role.VIEWER, actor="test")
        returned(client, begun(client, told))
        assert session_of(client)["role"] == "viewer"


def test_claims_that_the_token_lacks_come_from_the_userinfo_endpoint(
    client: TestClient, told: Provider
) -> None:
    told.claims.update(email=None, email_verified=None, groups=None)
    told.userinfo = {**ADA, "groups": ["admins"]}
    assert returned(client, begun(client, told)) == "/projects"
    assert session_of(client)["role"] == "owner"
    told.userinfo["sub"] = "eve"
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "subject")
    del told.userinfo["sub"]
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "subject")


def test_whether_an_address_is_verified_is_told_by_the_document_that_has_it(
    client: TestClient, told: Provider
) -> None:
    told.claims.update(email="someone.else@example.org", email_verified=None)
    told.userinfo = dict(ADA)
    assert returned(client, begun(client, told)) == "/projects"
    assert session_of(client)["email"] == EMAIL


@pytest.mark.parametrize(
    ("claims", "outcome"),
    [
        ({"nonce": "another"}, ("oidc_token_invalid", "nonce")),
        ({"nonce": None}, ("oidc_token_invalid", "nonce")),
        ({"iss": "https://evil.example"}, ("oidc_token_invalid", "issuer")),
        ({"iss": None}, ("oidc_token_invalid", "issuer")),
        ({"aud": "another"}, ("oidc_token_invalid", "audience")),
        ({"aud": None}, ("oidc_token_invalid", "audience")),
        ({"aud": []}, ("oidc_token_invalid", "audience")),
        ({"aud": ["errata", "another"]}, ("oidc_token_invalid", "audience")),
        ({"aud": ["errata", "another"], "azp": "another"}, ("oidc_token_invalid", "audience")),
        ({"azp": "another"}, ("oidc_token_invalid", "audience")),
        ({"exp": None}, ("oidc_token_invalid", "expired")),
        ({"exp": float("nan")}, ("oidc_token_invalid", "expired")),
        ({"sub": None}, ("oidc_token_invalid", "subject")),
        ({"sub": ""}, ("oidc_token_invalid", "subject")),
        ({"sub": 7}, ("oidc_token_invalid", "subject")),
        ({"sub": "x" * 256}, ("oidc_token_invalid", "subject")),
        ({"at_hash": "of another token"}, ("oidc_token_invalid", "malformed")),
        ({"email_verified": False}, ("oidc_email_not_verified", "")),
        ({"email_verified": "true"}, ("oidc_email_not_verified", "")),
        ({"email_verified": None}, ("oidc_email_not_verified", "")),
        ({"email": None}, ("oidc_email_not_verified", "")),
        ({"email": "nobody"}, ("oidc_email_not_verified", "")),
        ({"email": "\u017fam@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": "\u212aim@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": "ada\u200b@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": "ada@exam\x00ple.org"}, ("oidc_email_not_verified", "")),
        ({"email": "ada@evil.example"}, ("oidc_domain_not_allowed", "")),
        ({"email": "ada@sub.example.org"}, ("oidc_domain_not_allowed", "")),
        ({"email": "ada@example.org@evil.example"}, ("oidc_email_not_verified", "")),
        ({"email": "ada@evil.example@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": '"ada@evil.example"@example.org'}, ("oidc_email_not_verified", "")),
        ({"email": "ada@example.org,eve@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": " ada@example.org"}, ("oidc_email_not_verified", "")),
        ({"email": ["ada@example.org"]}, ("oidc_email_not_verified", "")),
        ({"email": {"value": "ada@example.org"}}, ("oidc_email_not_verified", "")),
        ({"email_verified": 1}, ("oidc_email_not_verified", "")),
        ({"email_verified": ["ada@example.org"]}, ("oidc_email_not_verified", "")),
        ({"sub": ["ada"]}, ("oidc_token_invalid", "subject")),
        ({"sub": "ada\n"}, ("oidc_token_invalid", "subject")),
        ({"aud": {"errata": True}}, ("oidc_token_invalid", "audience")),
        ({"aud": 7}, ("oidc_token_invalid", "audience")),
        ({"iss": ["https://evil.example"]}, ("oidc_token_invalid", "issuer")),
        ({"exp": "never"}, ("oidc_token_invalid", "expired")),
        ({"nonce": []}, ("oidc_token_invalid", "nonce")),
    ],
    ids=str,
)
def test_a_token_that_is_not_right_is_refused(
    client: TestClient, told: Provider, store: Store, claims: dict[str, Any], outcome: tuple[str, str]
) -> None:
    told.claims = claims
    assert failed(returned(client, begun(client, told))) == outcome
    assert client.get("/api/auth/session").status_code == 401
    assert [person.email for person in store.users.of_organization(1)] == ["owner@example.org"]


@pytest.mark.parametrize(("iat", "exp"), [(-420, -120), (9999, 10_299)], ids=["past", "future"])
def test_a_token_of_another_time_is_refused(client: TestClient, told: Provider, iat: int, exp: int) -> None:
    now = int(time.time())
    told.claims = {"iat": now + iat, "exp": now + exp}
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "expired")


def test_a_token_for_several_services_names_the_one_it_was_made_for(
    client: TestClient, told: Provider
) -> None:
    told.claims = {"aud": ["another", "errata"], "azp": "errata"}
    assert returned(client, begun(client, told)) == "/projects"


def unsigned(told: Provider, nonce: str) -> str:
    _, payload, _ = told.signed(nonce).split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "1"}).encode()).decode().rstrip("=")
    return f"{header}.{payload}."


def signed_with_the_public_key(told: Provider, nonce: str) -> str:
    _, payload, _ = told.signed(nonce).split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "1"}).encode()).decode().rstrip("=")
    public = told.key.as_pem(private=False)
    signature = hmac.digest(public, f"{header}.{payload}".encode(), hashlib.sha256)
    return f"{header}.{payload}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def signed_with_the_client_secret(told: Provider, nonce: str) -> str:
    claims = jwt.decode(told.signed(nonce), told.key).claims
    secret = OctKey.import_key("a client secret of enough bytes")
    return jwt.encode({"alg": "HS256"}, claims, secret, algorithms=["HS256"])


def signed_by_a_stranger(told: Provider, nonce: str) -> str:
    return replace(told, key=RSAKey.generate_key(2048, {"kid": "1"})).signed(nonce)


def with_a_key_of_its_own(told: Provider, nonce: str) -> str:
    key = RSAKey.generate_key(2048, {"kid": "2"})
    return replace(told, key=key, header={"jwk": key.as_dict(private=False)}).signed(nonce)


def changed(told: Provider, nonce: str) -> str:
    header, payload, signature = told.signed(nonce).split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    forged = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "owner"}).encode()).decode().rstrip("=")
    return f"{header}.{forged}.{signature}"


def not_an_object(told: Provider, nonce: str) -> str:
    return jws.serialize_compact({"alg": "RS256", "kid": "1"}, b"[1]", told.key)


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
@pytest.mark.parametrize(
    ("forged", "reason"),
    [
        (unsigned, "algorithm"),
        (signed_with_the_public_key, "algorithm"),
        (signed_with_the_client_secret, "algorithm"),
        (signed_by_a_stranger, "signature"),
        (with_a_key_of_its_own, "signature"),
        (changed, "signature"),
        (not_an_object, "malformed"),
        (lambda told, nonce: "nonsense", "malformed"),
        (lambda told, nonce: "a.b.c", "malformed"),
        (lambda told, nonce: "x" * 200_000, "malformed"),
    ],
    ids=[
        "none",
        "public key",
        "client secret",
        "stranger",
        "own key",
        "changed",
        "list",
        "no JWT",
        "a.b.c",
        "huge",
    ],
)
def test_a_forged_token_is_refused(
    client: TestClient, told: Provider, forged: Callable[[Provider, str], str], reason: str
) -> None:
    state = begun(client, told)
    told.id_token = forged(told, told.granted["code"].nonce)
    assert failed(returned(client, state)) == ("oidc_token_invalid", reason)
    assert client.get("/api/auth/session").status_code == 401


def test_a_token_of_an_earlier_sign_in_is_refused(client: TestClient, told: Provider) -> None:
    state = begun(client, told)
    told.id_token = told.signed(told.granted["code"].nonce)
    assert returned(client, state) == "/projects"
    client.cookies.clear()
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "nonce")


def test_the_return_belongs_to_one_browser_and_one_sign_in(
    client: TestClient, told: Provider, store: Store
) -> None:
    state = begun(client, told)
    ended = ("oidc_sign_in_ended", "")
    with client_of(store, told.issuer) as victim:
        assert failed(returned(victim, state)) == ended
        begun(victim, told, code="theirs")
        assert failed(returned(victim, state)) == ended
    for wrong in ("", "0" * 64, "é"):
        assert failed(returned(client, wrong)) == ended
        begun(client, told)
    assert failed(returned(client, state)) == ended
    newer = begun(client, told)
    assert returned(client, newer) == "/projects"
    assert failed(returned(client, newer)) == ended


def test_a_code_of_another_browser_is_refused_by_its_verifier(
    client: TestClient, told: Provider, store: Store
) -> None:
    with client_of(store, told.issuer) as attacker:
        begun(attacker, told, code="stolen")
    assert failed(returned(client, begun(client, told), code="stolen")) == ("oidc_refused", "")


def test_what_the_provider_says_instead_of_a_code_is_no_sign_in(client: TestClient, told: Provider) -> None:
    assert failed(returned(client, begun(client, told), code="", error="access_denied")) == (
        "oidc_refused",
        "",
    )
    assert failed(returned(client, begun(client, told), code="")) == ("oidc_refused", "")
    mixed_up = returned(client, begun(client, told), iss="https://evil.example")
    assert failed(mixed_up) == ("oidc_token_invalid", "issuer")


def test_a_rotated_key_is_found_and_a_withdrawn_one_refused(
    client: TestClient, told: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert returned(client, begun(client, told)) == "/projects"
    former, told.key = told.key, RSAKey.generate_key(2048, {"kid": "2"})
    # Keys were fetched a moment ago, and forged tokens must not cause more.
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "signature")
    assert told.asked.count("/jwks") == 1
    monkeypatch.setattr("api.oidc.provider.KEYS_AGAIN_SECONDS", 0)
    assert returned(client, begun(client, told)) == "/projects"
    told.published, told.key = [told.key], former
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "signature")


def test_a_token_that_names_no_key_can_mean_only_the_one_there_is(client: TestClient, told: Provider) -> None:
    told.header = {"kid": None}
    assert returned(client, begun(client, told)) == "/projects"


def test_a_token_that_names_none_of_several_keys_is_refused(client: TestClient, told: Provider) -> None:
    told.header = {"kid": None}
    told.published = [told.key, RSAKey.generate_key(2048, {"kid": "2"})]
    assert failed(returned(client, begun(client, told))) == ("oidc_token_invalid", "signature")


def test_keys_that_are_not_understood_are_left_out(client: TestClient, told: Provider) -> None:
    odd: list[Any] = [None, {}, {"kty": "XX"}, {"kty": "RSA"}, {"kty": "oct", "k": "c2VjcmV0"}]
    keys = [*odd, told.key.as_dict(private=False)]
    told.answers["/jwks"] = (200, json.dumps({"keys": keys}).encode())
    assert returned(client, begun(client, told)) == "/projects"


DISCOVERY = "/.well-known/openid-configuration"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nonsense",
        b"[" * 100_000,
        b'{"issuer": "https://evil.example"}',
        b'{"issuer": null}',
        b'{"x": "' + b"x" * 300_000 + b'"}',
    ],
    ids=["empty", "list", "no JSON", "deep", "another issuer", "no issuer", "huge"],
)
def test_a_provider_that_describes_itself_wrongly_is_as_good_as_away(
    client: TestClient, told: Provider, body: bytes
) -> None:
    told.answers[DISCOVERY] = (200, body)
    assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")


@pytest.mark.parametrize("address", ["javascript:alert(1)", "ftp://a.example", "", 7, None])
def test_addresses_of_the_provider_are_web_addresses(
    client: TestClient, told: Provider, address: object
) -> None:
    wrong = {**told.metadata(), "authorization_endpoint": address}
    told.answers[DISCOVERY] = (200, json.dumps(wrong).encode())
    assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")


@pytest.mark.parametrize("path", ["/token", "/jwks"])
@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"{}"),
        (200, b""),
        (200, b"[]"),
        (200, b"x" * 300_000),
        (302, b"{}"),
        (429, b"slow down"),
        (200, b"[" * 100_000),
    ],
    ids=["500", "empty", "list", "huge", "redirect", "429", "deep"],
)
def test_a_provider_that_answers_nonsense_signs_nobody_in(
    client: TestClient, told: Provider, path: str, status: int, body: bytes
) -> None:
    state = begun(client, told)
    told.answers[path] = (status, body)
    assert failed(returned(client, state))[0] == "oidc_unreachable"


def test_a_provider_that_is_down_leaves_passwords_working(store: Store, prepared: Prepared) -> None:
    with client_of(store, "http://127.0.0.1:9") as client:
        assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")
        given = {"email": prepared.account.email, "password": prepared.account.password}
        assert client.post("/api/auth/sign-in", json=given).status_code == 200


def test_a_slow_provider_holds_up_itself_alone(
    store: Store, told: Provider, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.oidc.provider.STEP_SECONDS", 1.0)
    told.delay_seconds = 5
    with client_of(store, told.issuer) as client:
        started = time.monotonic()
        assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")
        assert time.monotonic() - started < 3


@pytest.mark.slow
def test_a_provider_that_hangs_keeps_nobody_else_waiting(
    store: Store, told: Provider, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.rest.oidc.WAIT_SECONDS", 0.2)
    monkeypatch.setattr("api.oidc.provider.STEP_SECONDS", 4.0)
    told.delay_seconds = 6
    given = {"email": prepared.account.email, "password": prepared.account.password}

    def click(number: int) -> tuple[str, float]:
        started = time.monotonic()
        # As many callers as sign-ins.
        address = served.get("/api/auth/oidc", headers={"Cookie": f"errata_session={number}"})
        return failed(address.headers["location"])[0], time.monotonic() - started

    with client_of(store, told.issuer) as served, ThreadPoolExecutor(12) as threads:
        clicks = [threads.submit(click, number) for number in range(12)]
        time.sleep(1)
        started = time.monotonic()
        assert served.post("/api/auth/sign-in", json=given).status_code == 200
        assert time.monotonic() - started < 2
        found = [each.result() for each in clicks]
    assert {error for error, _ in found} == {"oidc_unreachable"}
    assert sum(seconds < 3 for _, seconds in found) == 4
    assert len(told.asked) == 8


def test_an_answer_that_drips_is_cut_off(
    store: Store, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.oidc.provider.STEP_SECONDS", 1.0)
    with dripping() as issuer, client_of(store, issuer) as client:
        started = time.monotonic()
        assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")
        assert time.monotonic() - started < 3


def test_requests_keep_to_the_policy_of_outgoing_ones(store: Store, told: Provider) -> None:
    away = Warehouse(NOWHERE)
    app = create_app(ApiSettings(), store, away, away, oidc=configuration(told.issuer))
    with TestClient(app, follow_redirects=False) as client:
        assert failed(client.get("/api/auth/oidc").headers["location"]) == ("oidc_unreachable", "")
    assert told.asked == []


def test_someone_with_two_steps_is_asked_for_the_code(
    client: TestClient, told: Provider, store: Store, prepared: Prepared
) -> None:
    session = store.sessions.sign_in(prepared.account.email, prepared.account.password)
    assert session is not None
    secret = store.two_steps.begin(session)
    store.two_steps.turn_on(session, pyotp.TOTP(secret).at(int(time.time()) - 30))
    told.claims.update(sub="owner", email=prepared.account.email, groups=["admins"])
    assert returned(client, begun(client, told)) == "/sign-in/code?next=%2Fprojects"
    assert client.get("/api/auth/session").status_code == 401
    given = {"code": pyotp.TOTP(secret).now()}
    assert client.post("/api/auth/sign-in/code", json=given).status_code == 200


@pytest.mark.parametrize(
    ("age_seconds", "status"), [(10, 201), (600, 403), (-600, 403), (None, 403), (1e300, 403)]
)
def test_it_counts_as_a_fresh_password_where_the_person_has_just_proved_themselves(
    client: TestClient, told: Provider, age_seconds: float | None, status: int
) -> None:
    told.claims["groups"] = ["admins"]
    if age_seconds is not None:
        told.claims["auth_time"] = int(time.time() - age_seconds)
    returned(client, begun(client, told))
    csrf = {"X-CSRF-Token": session_of(client)["csrf_token"]}
    wanted = {"email": "new@example.org", "role": "viewer"}
    assert client.post("/api/invitations", json=wanted, headers=csrf).status_code == status


def test_the_cookie_of_the_way_there_is_out_of_reach(client: TestClient, told: Provider) -> None:
    cookie = SimpleCookie(client.get("/api/auth/oidc").headers["set-cookie"])["errata_provider_sign_in"]
    assert cookie["httponly"] and cookie["samesite"].lower() == "lax" and cookie["path"] == "/api/auth/oidc"
    assert cookie["max-age"] == "600" and cookie.value not in told.issuer


def test_beginnings_are_limited(client: TestClient, told: Provider) -> None:
    for _ in range(30):
        client.get("/api/auth/oidc")
    assert failed(client.get("/api/auth/oidc").headers["location"]) == ("rate_limited", "")


def test_without_a_provider_there_is_nothing(api: Api) -> None:
    assert api.error(404, "GET", "/api/auth/oidc") == "not_found"
    assert api.error(404, "GET", CALLBACK) == "not_found"


CORE = {
    "ERRATA_WAREHOUSE_URL": "http://u:p@h:8123",
    "ERRATA_STATE_URL": "sqlite:///s.db",
    "ERRATA_SECRET": "s" * 32,
    "ERRATA_BASE_URL": "https://errata.example.org",
    "ERRATA_OIDC_ISSUER": "https://id.example.org",
    "ERRATA_OIDC_CLIENT_ID": "errata",
    "ERRATA_OIDC_ALLOWED_DOMAINS": "Example.org, example.com",
}


def test_it_is_set_by_the_environment() -> None:
    given = {**CORE, "ERRATA_OIDC_ROLES": "cn=ops,x=owner, devs = member"}
    with pytest.raises(InvalidSettings, match="cn=ops"):
        configuration_of(load(CoreSettings, given))
    given["ERRATA_OIDC_ROLES"] = "team=ops=owner, devs = member"
    found = configuration_of(load(CoreSettings, given))
    assert found is not None
    assert found.redirect_uri == "https://errata.example.org/api/auth/oidc/callback"
    assert found.allowed_domains == {"example.org", "example.com"}
    assert found.role_of_group == {"team=ops": Role.OWNER, "devs": Role.MEMBER}
    assert found.default_role is Role.VIEWER
    assert configuration_of(load(CoreSettings, {**CORE, "ERRATA_OIDC_ISSUER": ""})) is None


@each("name", ["ERRATA_OIDC_CLIENT_ID", "ERRATA_OIDC_ALLOWED_DOMAINS"])
def test_what_is_needed_is_missed_at_the_start(name: str) -> None:
    given = {key: value for key, value in CORE.items() if key != name}
    with pytest.raises(InvalidSettings, match=name):
        configuration_of(load(CoreSettings, given))
