"""The kinds of channels: what is to be said about each, and how a message is sent there."""

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from errata.alerts.errors import NotDelivered
from errata.alerts.mail import SECURITIES, MailServer, send_mail
from errata.alerts.recipients import recipients
from errata.alerts.webhook import check_secret, new_secret, send_slack, send_webhook
from errata.email_address import checked_email
from errata.errors import ErrataError, InvalidParameter
from errata.one_line import checked_name
from errata.outgoing import Outgoing
from errata.outgoing.target import canonical_host, check_host
from errata.state.alerts.channels import Channel, NewChannel
from errata.state.alerts.messages import Message

KINDS = ("email", "slack", "webhook")
MOST_AN_HOUR = 1_000
LONGEST_NAME = 100
MAIL_SETTINGS = {"to", "host", "port", "security", "user", "from"}


def checked(
    new: NewChannel, outgoing: Outgoing, mail: MailServer | None, before: Channel | None = None
) -> NewChannel:
    """The channel as it is to be kept; raises InvalidParameter or AddressRefused."""
    name = checked_name(new.name, LONGEST_NAME)
    if not 0 < new.hourly_limit <= MOST_AN_HOUR:
        raise InvalidParameter("hourly_limit", f"1 to {MOST_AN_HOUR}")
    settings, secret = dict(new.settings), new.secret.strip()
    match new.kind:
        case "email":
            settings = _mail_settings(settings, bool(secret or (before and before.secret_id)), outgoing, mail)
            if not secret.isascii():
                raise InvalidParameter(
                    "secret", "use ASCII characters only; mail servers reject other passwords"
                )
        case "slack":
            _known(settings, set())
            if not secret and before is None:
                raise InvalidParameter("secret", "the webhook URL from Slack or Mattermost")
            if secret:
                outgoing.check(secret)
        case "webhook":
            _known(settings, {"url"})
            outgoing.check(str(settings.get("url", "")))
            if secret:
                check_secret(secret)
            elif before is None:
                secret = new_secret()
        case _:
            raise InvalidParameter("kind", f"one of {', '.join(KINDS)}")
    return NewChannel(new.kind, name, settings, secret, new.hourly_limit)


def recipient(kind: str, settings: Mapping[str, Any], secret_ending: str) -> str:
    """As the delivery log shows it: an address that is a secret only by its end. Empty of a name alone."""
    if kind == "slack":
        return secret_ending and f"…{secret_ending}"
    return ", ".join(settings.get("to", [])) if kind == "email" else str(settings.get("url", ""))


def send(
    channel: Channel, secret: SecretStr, message: Message, outgoing: Outgoing, mail: MailServer | None
) -> str:
    """What the other side said. Raises NotDelivered."""
    opened = secret.get_secret_value()
    try:
        if channel.kind == "email":
            server = _server(channel.settings, secret, mail)
            return send_mail(server, outgoing, channel.settings["to"], message.id, message.content)
        if channel.kind == "slack":
            return send_slack(outgoing, opened, message.content)
        return send_webhook(
            outgoing,
            channel.settings["url"],
            opened,
            message.id,
            message.kind,
            message.created_at,
            message.content,
        )
    except NotDelivered:
        raise
    except ErrataError as error:
        raise NotDelivered(str(error)) from error


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


def _mail_settings(
    settings: Mapping[str, Any], has_password: bool, outgoing: Outgoing, mail: MailServer | None
) -> dict[str, Any]:
    _known(settings, MAIL_SETTINGS)
    to = recipients(settings.get("to"), "settings.to")
    host = str(settings.get("host") or "").strip()
    if not host:
        if mail is None:
            raise InvalidParameter(
                "settings.host", "enter a mail server; the service has no default one (ERRATA_MAIL_HOST)"
            )
        return {"to": to, "host": ""}
    host = canonical_host(host)
    check_host(host, outgoing.policy)
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


def _known(settings: Mapping[str, Any], names: set[str]) -> None:
    if unknown := set(settings) - names:
        raise InvalidParameter("settings", f"{min(unknown)} doesn't apply to channels of this kind")
