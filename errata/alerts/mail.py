"""Mail over SMTP, to servers that the policy allows."""

import smtplib
import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime
from threading import Timer
from typing import Any

from pydantic import SecretStr

from errata.alerts.bar_chart import png
from errata.alerts.errors import MayHaveArrived, NotDelivered, Undeliverable
from errata.alerts.mail_body import html_body, text_body
from errata.outgoing import Outgoing, Policy
from errata.outgoing.connection import Deadline, connect
from errata.outgoing.errors import AddressRefused, OutgoingFailed
from errata.outgoing.policy import parsed_networks
from errata.state.database import utc_now

SECONDS = 20.0
# A server that sends a byte every ten seconds would outlast any timeout of a read, and hold up all mails.
EXCHANGE_SECONDS = 60.0
# The operator's own server may stand anywhere.
ANYWHERE = Policy(parsed_networks("0.0.0.0/0, ::/0"))
SECURITIES = ("starttls", "tls", "none")


@dataclass(frozen=True)
class MailServer:
    """`is_operators`: named by the settings of the service, not by somebody on a page."""

    host: str
    port: int
    security: str
    user: str
    password: SecretStr
    sender: str
    is_operators: bool = False


def send_mail(
    server: MailServer,
    outgoing: Outgoing,
    recipients: Sequence[str],
    message_id: str,
    content: Mapping[str, Any],
) -> str:
    """What the server said. Raises NotDelivered."""
    return send_message(server, outgoing, recipients, mail(server.sender, recipients, message_id, content))


def send_message(
    server: MailServer, outgoing: Outgoing, recipients: Sequence[str], message: EmailMessage
) -> str:
    """What the server said. Raises NotDelivered."""
    policy = ANYWHERE if server.is_operators else outgoing.policy
    connection: _Connection | None = None
    try:
        with _Connection(server, policy, outgoing.tls) as connection:
            if server.security == "starttls":
                connection.starttls(context=outgoing.tls)
                connection.ehlo()
            if server.user:
                connection.login(server.user, server.password.get_secret_value())
            refused = connection.send_message(message, to_addrs=list(recipients))
    except AddressRefused as error:
        raise Undeliverable(str(error)) from error
    except OutgoingFailed as error:
        raise NotDelivered(str(error)) from error
    except smtplib.SMTPResponseException as error:
        said = error.smtp_error
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise _refusal([error.smtp_code], f"{error.smtp_code} {text}") from error
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise _refusal(codes, f"refused: {', '.join(sorted(error.recipients))}") from error
    except smtplib.SMTPException as error:
        raise _broken_off(connection, str(error) or type(error).__name__) from error
    except UnicodeError as error:
        raise Undeliverable("the user or password contains non-ASCII characters") from error
    except ssl.SSLError as error:
        raise NotDelivered(f"{server.host}: invalid certificate or TLS error") from error
    except TimeoutError as error:
        raise _broken_off(connection, f"{server.host}: timed out") from error
    except OSError as error:
        raise _broken_off(connection, f"{server.host}: connection lost") from error
    return f"accepted for {len(recipients) - len(refused)} of {len(recipients)}"


def _refusal(codes: Sequence[int], reason: str) -> NotDelivered:
    """By RFC 5321 codes from 500 on are permanent, those below may pass."""
    return Undeliverable(reason) if all(code >= 500 for code in codes) else NotDelivered(reason)


def _broken_off(connection: "_Connection | None", reason: str) -> NotDelivered:
    """After the server was given the mail, it may have kept it."""
    return MayHaveArrived(reason) if connection is not None and connection.has_given else NotDelivered(reason)


class _Connection(smtplib.SMTP):
    has_given = False

    def __init__(self, server: MailServer, policy: Policy, context: ssl.SSLContext) -> None:
        self._server = server
        self._policy = policy
        self._context = context
        self._ending: Timer | None = None
        super().__init__(server.host, server.port, local_hostname="errata", timeout=SECONDS)

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.has_given = True
        return super().data(msg)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection = connect(self._policy, host, port, Deadline.after(timeout, host))
        try:
            connection.settimeout(timeout)
            # Of its own descriptor: TLS takes the socket over.
            self._socket = connection.dup()
            self._ending = Timer(EXCHANGE_SECONDS, _end, [self._socket])
            self._ending.daemon = True
            self._ending.start()
            if self._server.security == "tls":
                return self._context.wrap_socket(connection, server_hostname=host)
        except BaseException:
            connection.close()
            self.close()
            raise
        return connection

    def close(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._socket.close()
        super().close()


def _end(connection: socket.socket) -> None:
    """Whoever waits for the other side reads its end."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def mail(sender: str, recipients: Sequence[str], message_id: str, content: Mapping[str, Any]) -> EmailMessage:
    message = headed(sender, recipients, message_id, str(content["text"]))
    message.set_content(text_body(content))
    charts = {
        place: issue["evidence"]["steps"]
        for place, issue in enumerate(content["issues"])
        if issue.get("evidence")
    }
    message.add_alternative(
        html_body(content, {place: _chart_id(message_id, place) for place in charts}), subtype="html"
    )
    html = message.get_body(("html",))
    assert html is not None
    for place, steps in charts.items():
        picture_id = f"<{_chart_id(message_id, place)}>"
        html.add_related(png(steps), "image", "png", cid=picture_id, disposition="inline")
    return message


def _chart_id(message_id: str, place: int) -> str:
    return f"{message_id}-{place}@errata"


def headed(sender: str, recipients: Sequence[str], message_id: str, subject: str) -> EmailMessage:
    """The same id at every attempt: mail servers and readers know a repeat by it."""
    message = EmailMessage()
    message["Subject"] = " ".join(subject.split())[:200]
    message["From"] = sender
    message["To"] = ", ".join(recipients)
    message["Date"] = format_datetime(utc_now())
    message["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2].strip('>') or 'errata'}>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Errata-Id"] = message_id
    return message
