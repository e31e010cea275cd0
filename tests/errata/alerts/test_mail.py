import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from pydantic import SecretStr

from errata.alerts.content import trial_content
from errata.alerts.errors import NotDelivered, Undeliverable
from errata.alerts.mail import MailServer, mail, send_mail
from errata.outgoing import Outgoing, Policy
from errata.outgoing.policy import parsed_networks
from errata.up.ports import free_port
from tests.cases import each
from tests.shipper.certificates import Authority, needs_openssl

LOOPBACK = Policy(parsed_networks("127.0.0.0/8, ::1"))
CONTENT: dict[str, Any] = {
    **trial_content("Ops", "https://errata.example", "ada@example.org"),
    "text": "[Web shop] New issue: ValueError: <b>bold</b>\r\nBcc: everybody@example.org",
    "issues": [
        {
            "id": "00000000000000a1",
            "title": "ValueError: <script>",
            "culprit": "shop.pay",
            "reason": "New issue",
            "rule": "Rule",
            "url": "https://errata.example/projects/web-shop/issues/1",
        }
    ],
    "more": 390,
}


class Mailbox:
    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refuses = ""

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.refuses:
            return self.refuses
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 kept"


def _knows(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> AuthResult:
    assert isinstance(given, LoginPassword)
    return AuthResult(success=(given.login, given.password) == (b"errata", b"right"), handled=False)


class _Controller(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, **self.SMTP_kwargs)


@contextmanager
def mail_server(mailbox: Mailbox, **options: Any) -> Iterator[int]:
    controller = _Controller(mailbox, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def server(port: int, **changes: Any) -> MailServer:
    values: dict[str, Any] = {
        "host": "localhost",
        "port": port,
        "security": "none",
        "user": "",
        "password": SecretStr(""),
        "sender": "errata@shop.example",
    }
    return MailServer(**{**values, **changes})


def test_a_mail_arrives_as_text_and_as_html_with_nothing_slipped_in() -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:
        said = send_mail(
            server(port), Outgoing(LOOPBACK), ["ada@example.org", "bo@example.org"], "abc", CONTENT
        )
    assert said == "accepted for 2 of 2"
    [mail] = mailbox.mails
    assert mail["subject"].strip().startswith("[Web shop] New issue: ValueError: <b>bold</b> Bcc:")
    assert mail["bcc"] is None and mail["message-id"] == "<abc@shop.example>"
    assert (mail["from"], mail["to"]) == ("errata@shop.example", "ada@example.org, bo@example.org")
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None and html is not None
    assert "https://errata.example/projects/web-shop/issues/1" in text.get_content()
    assert "and 390 more" in text.get_content()
    for body in (text, html):
        assert body.get_content().count("To stop alerts about this issue, open it and choose Ignore.") == 1
    assert "<script>" not in html.get_content() and "&lt;script&gt;" in html.get_content()


def test_a_mail_says_how_to_stop_alerts_only_where_there_is_an_issue_to_ignore() -> None:
    budget = {**CONTENT["issues"][0], "id": "", "title": "LCP p75 is 2,600 ms"}
    two = [{**CONTENT["issues"][0], "id": issue_id} for issue_id in ("a1", "a2")]
    for issues, words in (([budget], ""), ([*two, budget], "To stop alerts about an issue, open it")):
        body = mail("errata@shop.example", ["ada@example.org"], "abc", {**CONTENT, "issues": issues})
        text = body.get_body(("plain",))
        assert text is not None
        assert text.get_content().count("To stop alerts") == bool(words) and words in text.get_content()


EVIDENCE: dict[str, Any] = {
    **{"level": "error", "environment": "production", "release": "shop@2"},
    **{"event_count": 12, "user_count": 3},
    **{"steps": [1, 11], "steps_begin_at": "2026-11-21T22:00:00Z", "step_minutes": 60},
    "frames": [{"function": "charge", "place": "pay.py:7", "source": "raise <Refused>"}],
}


def test_a_mail_carries_the_evidence_of_its_issue_in_text_in_html_and_as_a_picture() -> None:
    address = "https://errata.example/projects/web-shop/issues/a1/decide?action="
    decisions = {"resolve_url": f"{address}resolve", "ignore_url": f"{address}ignore"}
    issue = {**CONTENT["issues"][0], **decisions, "evidence": EVIDENCE}
    sent = mail("errata@shop.example", ["ada@example.org"], "abc", {**CONTENT, "issues": [issue]})
    message = message_from_bytes(sent.as_bytes(), policy=policy.default)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and html is not None
    said, shown = text.get_content(), html.get_content()
    for words in ("error · production · shop@2", "12 events and 3 users in the last 24 hours", "pay.py:7"):
        assert words in said and words in shown
    assert "> raise <Refused>" in said and "raise &lt;Refused&gt;" in shown
    assert "[▁█]" in said and f"Resolve: {address}resolve" in said and f"{address}ignore'" in shown
    [picture] = [part for part in message.walk() if part.get_content_type() == "image/png"]
    assert picture["content-id"] == "<abc-0@errata>" and "cid:abc-0@errata" in shown
    assert picture.get_content().startswith(b"\x89PNG")


def test_a_server_that_refuses_is_heard() -> None:
    mailbox = Mailbox()
    mailbox.refuses = "451 come back later"
    with mail_server(mailbox) as port, pytest.raises(NotDelivered, match="451 come back later"):
        send_mail(server(port), Outgoing(LOOPBACK), ["ada@example.org"], "abc", CONTENT)


@each(("said", "is_final"), [("451 come back later", False), ("554 no such thing", True)])
def test_a_code_from_500_on_is_a_refusal_for_good(said: str, is_final: bool) -> None:
    mailbox = Mailbox()
    mailbox.refuses = said
    with mail_server(mailbox) as port, pytest.raises(NotDelivered) as refused:
        send_mail(server(port), Outgoing(LOOPBACK), ["ada@example.org"], "abc", CONTENT)
    assert isinstance(refused.value, Undeliverable) is is_final


def test_a_mail_server_inside_is_reached_only_if_the_operator_names_it() -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:
        with pytest.raises(NotDelivered, match="private address"):
            send_mail(server(port), Outgoing(), ["ada@example.org"], "abc", CONTENT)
        assert not mailbox.mails
        send_mail(server(port, is_operators=True), Outgoing(), ["ada@example.org"], "abc", CONTENT)
    assert len(mailbox.mails) == 1


@needs_openssl
def test_a_password_travels_over_tls_to_a_server_whose_name_is_right(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.signed("mail")
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    outgoing = Outgoing(LOOPBACK, ca_file=authority.path)
    mailbox = Mailbox()
    secured = {"tls_context": context, "auth_required": True, "authenticator": _knows}
    with mail_server(mailbox, **secured) as port:
        known = {"security": "starttls", "user": "errata", "password": SecretStr("right")}
        send_mail(server(port, **known), outgoing, ["ada@example.org"], "abc", CONTENT)
        assert len(mailbox.mails) == 1
        with pytest.raises(NotDelivered, match="535"):
            wrong = {**known, "password": SecretStr("wrong")}
            send_mail(server(port, **wrong), outgoing, ["ada@example.org"], "abc", CONTENT)
        with pytest.raises(NotDelivered, match="non-ASCII"):
            odd = {**known, "password": SecretStr("pässword")}
            send_mail(server(port, **odd), outgoing, ["ada@example.org"], "abc", CONTENT)
        with pytest.raises(NotDelivered, match="certificate"):
            send_mail(server(port, **known), Outgoing(LOOPBACK), ["ada@example.org"], "abc", CONTENT)
        with pytest.raises(NotDelivered, match="certificate"):
            other = {**known, "host": "127.0.0.1"}
            send_mail(server(port, **other), outgoing, ["ada@example.org"], "abc", CONTENT)
    with mail_server(mailbox, ssl_context=context) as port:
        send_mail(server(port, security="tls"), outgoing, ["ada@example.org"], "def", CONTENT)
    assert len(mailbox.mails) == 2


def test_a_server_that_answers_a_byte_at_a_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.alerts.mail.EXCHANGE_SECONDS", 0.5)
    ended = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            while not ended.wait(0.05):
                connection.send(b"2")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        dripping = threading.Thread(target=drip, args=(listener,), daemon=True)
        dripping.start()
        began = time.monotonic()
        with pytest.raises(NotDelivered):
            send_mail(
                server(listener.getsockname()[1]), Outgoing(LOOPBACK), ["ada@example.org"], "abc", CONTENT
            )
        assert time.monotonic() - began < 10
        ended.set()
        dripping.join(10)


def test_a_connection_whose_tls_fails_is_closed_at_once() -> None:
    ended = threading.Event()

    def greet(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(10)
            connection.recv(1 << 16)
            connection.send(b"220 in plain text\r\n")
            with suppress(ConnectionResetError):
                while connection.recv(1 << 16):
                    pass
            ended.set()

    before = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        greeting = threading.Thread(target=greet, args=(listener,), daemon=True)
        greeting.start()
        plain = server(listener.getsockname()[1], security="tls")
        with pytest.raises(NotDelivered, match="TLS"):
            send_mail(plain, Outgoing(LOOPBACK), ["ada@example.org"], "abc", CONTENT)
        greeting.join(10)
    assert ended.is_set()
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    for timer in timers:
        timer.join(1)
    assert not [each for each in timers if each.is_alive() and each not in before]
