"""Mail, over the service's mail server or one of the channel's own."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import SecretStr

from errata.alerts.channel_kind import SECRET, ChannelKind, Surroundings
from errata.alerts.errors import NotDelivered
from errata.alerts.field import Field
from errata.alerts.mail import SECURITIES, MailServer, send_mail
from errata.alerts.recipients import recipients
from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.outgoing.target import canonical_host, check_host
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message


class Email(ChannelKind):
    kind = "email"
    label = "Email"
    example = "On call"
    fields: ClassVar[Sequence[Field]] = (
        Field("to", "To", "ada@example.org, bo@example.org", is_required=True),
    )
    server_fields: ClassVar[Sequence[Field]] = (
        Field("host", "Host", "smtp.example.org", is_required=True),
        Field("port", "Port", "587", is_number=True),
        Field("security", "Security", choices=(("starttls", "STARTTLS"), ("tls", "TLS"), ("none", "none"))),
        Field("user", "User"),
        Field(SECRET, "Password"),
        Field("from", "From", "errata@example.org"),
    )
    settings = (
        "`to`; `host`, `port`, `security` (`starttls`, `tls`, `none`), `user`, `from`, unless the service "
        "has a mail server (`ERRATA_MAIL_HOST`)"
    )
    secret = "the password"

    def checked(
        self, settings: Mapping[str, Any], secret: str, before: Channel | None, by: Surroundings
    ) -> tuple[dict[str, Any], str]:
        self.require_known(settings)
        has_password = bool(secret or (before and before.secret_id))
        stored = _mail_settings(settings, has_password, by)
        if not secret.isascii():
            raise InvalidParameter("secret", "use ASCII characters only; mail servers reject other passwords")
        return stored, secret

    def recipient(self, settings: Mapping[str, Any], secret_ending: str) -> str:
        return ", ".join(settings.get("to", []))

    def send(self, channel: Channel, secret: SecretStr, message: Message, by: Surroundings) -> str:
        server = _server(channel.settings, secret, by.mail)
        return send_mail(server, by.outgoing, channel.settings["to"], message.id, message.content)


def _server(settings: Mapping[str, Any], password: SecretStr, mail: MailServer | None) -> MailServer:
    if not settings.get("host"):
        if mail is None:
            raise NotDelivered("the service no longer has a mail server (set ERRATA_MAIL_HOST)")
        return mail
    return MailServer(
        settings["host"],
        settings["port"],
        settings["security"],
        settings["user"],
        password,
        settings["from"],
    )


def _mail_settings(settings: Mapping[str, Any], has_password: bool, by: Surroundings) -> dict[str, Any]:
    to = recipients(settings.get("to"), "settings.to")
    host = str(settings.get("host") or "").strip()
    if not host:
        if by.mail is None:
            raise InvalidParameter(
                "settings.host", "enter a mail server; the service has no default one (ERRATA_MAIL_HOST)"
            )
        return {"to": to, "host": ""}
    host = canonical_host(host)
    check_host(host, by.outgoing.policy)
    sender = checked_email(settings.get("from") or "", "settings.from")
    return {"to": to, "from": sender, "host": host, **_connection(settings, has_password)}


def _connection(settings: Mapping[str, Any], has_password: bool) -> dict[str, Any]:
    security = settings.get("security") or "starttls"
    if security not in SECURITIES:
        raise InvalidParameter("settings.security", f"one of {', '.join(SECURITIES)}")
    port = settings.get("port") or {"starttls": 587, "tls": 465, "none": 25}[security]
    if not isinstance(port, int) or not 0 < port < 65536:
        raise InvalidParameter("settings.port", "1 to 65535")
    user = str(settings.get("user") or "").strip()
    if not user.isascii():
        raise InvalidParameter(
            "settings.user", "use ASCII characters only; mail servers reject other user names"
        )
    if bool(user) != has_password:
        raise InvalidParameter("settings.user", "enter both a user and a password, or neither")
    if user and security == "none":
        raise InvalidParameter("settings.security", "a password requires starttls or tls")
    return {"security": security, "port": port, "user": user}


KIND = Email()
