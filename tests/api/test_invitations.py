"""Invitations and password links over REST, with a real mail server."""

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.context import FORGOTTEN_PASSWORDS, ONE_TIME_LINK_VISITS, PASSWORD_MAILS
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.api.conftest import NOWHERE, Api, Prepared
from tests.errata.alerts.test_mail import Mailbox, mail_server, server

BOB = "bob@example.org"
PASSWORD = "correct horse battery"
LINK = re.compile(r"/link/([A-Za-z0-9]{40})")


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture
def mailing(store: Store, prepared: Prepared, mailbox: Mailbox) -> Iterator[Api]:
    """The API with a mail server of its own."""
    with mail_server(mailbox) as port:
        away = Warehouse(NOWHERE)
        sender = server(port, is_operators=True)
        app = create_app(ApiSettings(), store, away, away, mail=sender)
        with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
            yield Api(app, client, store, prepared.account)


def token_in(text: str) -> str:
    found = LINK.search(text)
    assert found
    return found[1]


def member_id(api: Api, email: str) -> int:
    listed = api.client.get("/api/members", headers=api.key).json()["members"]
    return int(next(each["id"] for each in listed if each["email"] == email))


def test_an_invitation_is_made_listed_and_accepted(api: Api) -> None:
    csrf = api.sign_in()
    wanted = {"email": BOB, "role": "viewer"}
    made = api.client.post("/api/invitations", json=wanted, headers=csrf)
    assert made.status_code == 201 and made.json()["mail"] == "off"
    listed = api.client.get("/api/invitations").json()["invitations"]
    assert [each["email"] for each in listed] == [BOB] and "url" not in listed[0]
    given = {"token": token_in(made.json()["url"]), "password": PASSWORD}
    weak = given | {"password": "short"}
    assert api.error(400, "POST", "/api/auth/link", json=weak) == "weak_password"
    foreign = {"Origin": "https://evil.example"}
    assert api.error(403, "POST", "/api/auth/link", json=given, headers=foreign) == "csrf_failed"
    api.client.cookies.clear()
    joined = api.client.post("/api/auth/link", json=given)
    assert joined.status_code == 200 and joined.json()["role"] == "viewer"
    assert api.client.get("/api/auth/session").json()["email"] == BOB
    assert api.error(410, "POST", "/api/auth/link", json=given) == "one_time_link_ended"
    log = api.client.get("/api/activity?kind=invitation").json()["activity"]
    assert [entry["action"] for entry in log] == ["invitation.accepted", "invitation.created"]

    csrf = api.sign_in()
    assert api.error(409, "POST", "/api/invitations", json=wanted, headers=csrf) == "user_exists"


def test_an_invitation_is_revoked(api: Api) -> None:
    csrf = api.sign_in()
    made = api.client.post("/api/invitations", json={"email": BOB, "role": "owner"}, headers=csrf).json()
    path = f"/api/invitations/{made['id']}"
    assert api.client.delete(path, headers=csrf).status_code == 204
    assert api.error(404, "DELETE", path, headers=csrf) == "invitation_not_found"
    given = {"token": token_in(made["url"]), "password": PASSWORD}
    assert api.error(410, "POST", "/api/auth/link", json=given) == "one_time_link_ended"


def test_an_owner_makes_a_password_link(api: Api) -> None:
    csrf = api.sign_in()
    path = f"/api/members/{member_id(api, api.account.email)}/password-link"
    made = api.client.post(path, headers=csrf)
    assert made.status_code == 201
    assert api.client.get("/api/auth/session").status_code == 200
    given = {"token": token_in(made.json()["url"]), "password": PASSWORD}
    form = api.client.post("/api/auth/link", data=given)
    assert (form.status_code, form.headers["location"]) == (303, "/")
    again = api.client.post("/api/auth/link", data=given)
    assert again.headers["location"] == f"/link/{given['token']}?error=one_time_link_ended"
    api.client.cookies.clear()
    sign_in = {"email": api.account.email, "password": PASSWORD}
    assert api.client.post("/api/auth/sign-in", json=sign_in).status_code == 200


def test_invitations_and_forgotten_passwords_are_mailed(mailing: Api, mailbox: Mailbox) -> None:
    csrf = mailing.sign_in()
    made = mailing.client.post("/api/invitations", json={"email": BOB, "role": "member"}, headers=csrf)
    assert made.json()["mail"] == "sent"
    (mail,) = mailbox.mails
    assert (mail["to"], mail["subject"]) == (BOB, "Join Acme on Errata")
    assert token_in(mail.get_content()) == token_in(made.json()["url"])

    mailing.client.cookies.clear()
    answers = [
        mailing.client.post("/api/auth/forgot", json={"email": email})
        for email in ("nobody@example.org", mailing.account.email)
    ]
    assert [(answer.status_code, answer.content) for answer in answers] == [(202, b"")] * 2
    assert [mail["to"] for mail in mailbox.mails] == [BOB, mailing.account.email]
    given = {"token": token_in(mailbox.mails[-1].get_content()), "password": PASSWORD}
    assert mailing.client.post("/api/auth/link", json=given).json()["email"] == mailing.account.email

    mailbox.refuses = "550 no"
    csrf = {"X-CSRF-Token": mailing.client.get("/api/auth/session").json()["csrf_token"]}
    wanted = {"email": "eve@example.org", "role": "member"}
    failed = mailing.client.post("/api/invitations", json=wanted, headers=csrf)
    assert (failed.status_code, failed.json()["mail"]) == (201, "failed")


def test_nobody_is_flooded_with_mails_and_an_address_is_refused(mailing: Api, mailbox: Mailbox) -> None:
    wanted = {"email": mailing.account.email}
    for _ in range(FORGOTTEN_PASSWORDS.most):
        assert mailing.client.post("/api/auth/forgot", json=wanted).status_code == 202
    assert mailing.error(429, "POST", "/api/auth/forgot", json=wanted) == "rate_limited"
    assert len(mailbox.mails) == PASSWORD_MAILS.most


def test_without_a_mail_server_an_owner_is_asked(api: Api) -> None:
    wanted = {"email": api.account.email}
    assert api.error(409, "POST", "/api/auth/forgot", json=wanted) == "no_mail_server"


def test_tokens_are_not_guessed_quickly(api: Api) -> None:
    given = {"token": "x" * 40, "password": PASSWORD}
    for _ in range(ONE_TIME_LINK_VISITS.most):
        assert api.error(410, "POST", "/api/auth/link", json=given) == "one_time_link_ended"
    assert api.error(429, "POST", "/api/auth/link", json=given) == "rate_limited"
