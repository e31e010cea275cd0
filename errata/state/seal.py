"""Encryption at rest of secrets that must be read again, such as tokens of other services: AES-256-GCM."""

import base64
import binascii
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from errata.state.errors import SecretUnreadable

FORM = "1"
KEY_BYTES = 32
NONCE_BYTES = 12
KEY_NAME_BYTES = 6


class Seal:
    """Seals with the first secret; opens values sealed by any of them."""

    def __init__(self, secret: bytes, previous: Sequence[bytes] = ()) -> None:
        keys = [(_key_name(each), AESGCM(_derived(each, b"key"))) for each in (secret, *previous)]
        self._name, self._key = keys[0]
        self._keys = dict(reversed(keys))

    def close(self, text: str, context: str) -> str:
        """Seals a value. `context` names its owner: the value opens there only."""
        nonce = os.urandom(NONCE_BYTES)
        closed = nonce + self._key.encrypt(nonce, text.encode(), _bound(self._name, context))
        return f"{FORM}.{self._name}.{base64.urlsafe_b64encode(closed).decode()}"

    def open(self, closed: str, context: str) -> SecretStr:
        """Opens a sealed value. Raises SecretUnreadable if another secret sealed it, or if it was changed."""
        form, _, rest = closed.partition(".")
        name, _, body = rest.partition(".")
        if form != FORM or name not in self._keys:
            raise SecretUnreadable("it was sealed with a different ERRATA_SECRET")
        try:
            sealed = base64.b64decode(body, altchars=b"-_", validate=True)
            opened = self._keys[name].decrypt(
                sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _bound(name, context)
            )
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise SecretUnreadable("it was modified in storage") from error
        return SecretStr(opened.decode())

    def is_current(self, closed: str) -> bool:
        return closed.startswith(f"{FORM}.{self._name}.")


def _derived(secret: bytes, use: bytes, length: int = KEY_BYTES) -> bytes:
    # HKDF (RFC 5869): the secret also keys hashes, and no two uses may share a key.
    info = b"errata sealed secrets 1: " + use
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=None, info=info).derive(secret)


def _key_name(secret: bytes) -> str:
    return _derived(secret, b"name", KEY_NAME_BYTES).hex()


def _bound(name: str, context: str) -> bytes:
    return f"{FORM}.{name}.{context}".encode()
