"""The text of keys and tokens, and their only stored form: a keyed hash."""

import hashlib
import hmac
import re
import secrets
import string
from dataclasses import dataclass
from datetime import datetime

API_KEY_PREFIX = "errata_api_"
APP_KEY_PREFIX = "errata_app_"
PUBLIC_KEY_PREFIX = "errata_public_"
TOKEN_PREFIX = "errata_token_"
ALPHABET = string.ascii_letters + string.digits
RANDOM_LENGTH = 40
SHOWN_LENGTH = 6
# Without the underscore, which separates the segments of a key.
SERVICE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
LONGEST_KEY = len(APP_KEY_PREFIX) + 32 + 1 + RANDOM_LENGTH


@dataclass(frozen=True)
class IssuedKey:
    """A new key. `key` is shown once and stored nowhere."""

    id: int
    key: str
    prefix: str
    created_at: datetime


def generate_api_key() -> str:
    return API_KEY_PREFIX + random_text(RANDOM_LENGTH)


def generate_app_key(service: str = "") -> str:
    segment = f"{service}_" if service else ""
    return APP_KEY_PREFIX + segment + random_text(RANDOM_LENGTH)


def generate_public_key() -> str:
    """A key that every SDK takes in a DSN: letters, digits and underscores."""
    return PUBLIC_KEY_PREFIX + random_text(RANDOM_LENGTH)


def generate_project_token() -> str:
    return TOKEN_PREFIX + random_text(RANDOM_LENGTH)


def generate_token() -> str:
    return random_text(RANDOM_LENGTH)


def random_text(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def shown_prefix(key: str) -> str:
    """The part of a key that is enough to recognize it by."""
    return key[: len(key) - RANDOM_LENGTH + SHOWN_LENGTH]


def keyed_hash(secret: bytes, text: str) -> str:
    return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()
