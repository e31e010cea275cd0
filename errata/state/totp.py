"""Time-based one-time passwords (RFC 6238) and recovery codes."""

import re
import secrets
from datetime import datetime

import pyotp

STEP_SECONDS = 30
# RFC 6238, 5.2: one step either way, for clocks that differ and codes that travel.
WINDOW = (-1, 0, 1)
CODE = re.compile(r"[0-9]{6}", re.ASCII)
RECOVERY_CODES = 10
# Without letters and digits that look alike; 16 characters of 30 are 78 bits.
RECOVERY_ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
RECOVERY_LENGTH = 16
RECOVERY_GROUP = 4
ISSUER = "Errata"


def generate_secret() -> str:
    """160 bits in Base32, the length that RFC 4226 recommends."""
    return pyotp.random_base32()


def provisioning_uri(secret: str, email: str) -> str:
    """The `otpauth://` address that authenticator apps read from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=ISSUER)


def step_of_code(secret: str, code: str, now: datetime) -> int | None:
    """The time step around `now` that the code is of; None if of none. The latest, should two agree."""
    totp, current = pyotp.TOTP(secret, interval=STEP_SECONDS), int(now.timestamp()) // STEP_SECONDS
    steps = [current + offset for offset in WINDOW]
    # Every step is compared, so that the time taken does not tell of the right one.
    matching = [step for step in steps if secrets.compare_digest(totp.generate_otp(step), code)]
    return matching[-1] if matching else None


def generate_recovery_code() -> str:
    """Such as `ABCD-EFGH-JKMN-PQRS`."""
    text = "".join(secrets.choice(RECOVERY_ALPHABET) for _ in range(RECOVERY_LENGTH))
    return "-".join(text[start : start + RECOVERY_GROUP] for start in range(0, len(text), RECOVERY_GROUP))


def normalized_code(code: str) -> str:
    """As compared: without the spaces and hyphens that people copy or add."""
    return "".join(character for character in code.upper() if character.isascii() and character.isalnum())
