"""Email addresses of accounts, invitations, sign-in providers, channels and reports: one grammar for all."""

import re

from errata.errors import InvalidParameter

# By RFC 5321.
LONGEST_EMAIL = 254
_ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS = re.compile(rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*")


def checked_email(email: object, field: str = "email") -> str:
    """The address in lower case. Raises InvalidParameter for anything but one bare ASCII address: names,
    lists and other scripts, whose letters can look like somebody else's address, are refused."""
    address = email.strip() if isinstance(email, str) else ""
    if not address.isascii() or len(address) > LONGEST_EMAIL or not _ADDRESS.fullmatch(address.lower()):
        raise InvalidParameter(field, f"{str(email)[:80]!r} is not an email address")
    return address.lower()
