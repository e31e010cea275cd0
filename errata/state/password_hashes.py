"""Argon2id hashes of passwords, at most two computed at once: each takes 19 MiB."""

import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from errata.state.errors import WeakPassword
from errata.state.keys import random_text

SHORTEST = 10
LONGEST = 256
GENERATED_LENGTH = 20

# The lowest cost that OWASP's password storage cheat sheet gives for Argon2id.
hasher = PasswordHasher(time_cost=2, memory_cost=19 << 10, parallelism=1)
_at_once = threading.Semaphore(2)
# Compared with when no user has the e-mail, so that the response takes as long.
nobodys_hash = hasher.hash(random_text(GENERATED_LENGTH))


def generate_password() -> str:
    return random_text(GENERATED_LENGTH)


def hash_password(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword(SHORTEST, LONGEST)
    with _at_once:
        return hasher.hash(password.encode("utf-8", "surrogatepass"))


def is_password(password: str, password_hash: str | None) -> bool:
    """Whether the password matches. Takes as long without a hash as with one."""
    given = password[: LONGEST + 1].encode("utf-8", "surrogatepass")
    try:
        with _at_once:
            hasher.verify(password_hash or nobodys_hash, given)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return password_hash is not None
