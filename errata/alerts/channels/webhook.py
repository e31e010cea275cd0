"""A webhook of our own, signed by the Standard Webhooks convention: https://www.standardwebhooks.com."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import SecretStr

from errata.alerts.channel_kind import SECRET, ChannelKind, Surroundings
from errata.alerts.field import Field
from errata.alerts.posting import post
from errata.errors import InvalidParameter
from errata.state.alerts.channel import Channel
from errata.state.alerts.messages import Message
from errata.state.database import utc_now

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
SHORTEST_SECRET_BYTES = 24


class Webhook(ChannelKind):
    kind = "webhook"
    label = "Signed webhook"
    example = "Incident bot"
    fields: ClassVar[Sequence[Field]] = (
        Field("url", "URL", "https://…", is_required=True),
        Field(SECRET, "Signing key (empty: generated)", "whsec_…"),
    )
    settings = "`url`"
    secret = "the signing key; generated if omitted, shown once"

    def checked(
        self, settings: Mapping[str, Any], secret: str, before: Channel | None, by: Surroundings
    ) -> tuple[dict[str, Any], str]:
        self.require_known(settings)
        by.outgoing.check(str(settings.get("url", "")))
        if secret:
            _check_secret(secret)
        elif before is None:
            secret = _new_secret()
        return dict(settings), secret

    def recipient(self, settings: Mapping[str, Any], secret_ending: str) -> str:
        return str(settings.get("url", ""))

    def send(self, channel: Channel, secret: SecretStr, message: Message, by: Surroundings) -> str:
        body = json.dumps(
            {
                "type": f"alert.{message.kind}",
                "id": message.id,
                "created_at": message.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "data": message.content,
            }
        ).encode()
        timestamp = int(utc_now().timestamp())
        headers = {
            "webhook-id": message.id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret.get_secret_value(), message.id, timestamp, body),
        }
        return post(by.outgoing, channel.settings["url"], headers, body)


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _check_secret(secret: str) -> None:
    if len(_key(secret)) < SHORTEST_SECRET_BYTES:
        raise InvalidParameter(
            "secret", f"{SECRET_PREFIX} and at least {SHORTEST_SECRET_BYTES} bytes in base64, or empty"
        )


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Over the id and the time too: a repeat is known by its id, an old one by its time."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except ValueError:  # binascii.Error is one; characters beyond ASCII are another
        return b""


KIND = Webhook()
