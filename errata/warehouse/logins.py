"""The name and password with which a program connects to the warehouse."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from errata.warehouse.roles import Role


@dataclass(frozen=True, slots=True)
class Login:
    name: str
    password: str

    @classmethod
    def of(cls, url: str) -> "Login":
        parts = urlsplit(url)
        return cls(unquote(parts.username or "default"), unquote(parts.password or ""))

    @property
    def password_hash(self) -> str:
        """SHA-256, in hexadecimal digits."""
        return hashlib.sha256(self.password.encode()).hexdigest()


Logins = Mapping[Role, Login]
