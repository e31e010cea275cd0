"""The e-mail addresses that somebody names: a list, or text with commas, semicolons or lines between."""

import re
from typing import Any

from errata.email_address import checked_email
from errata.errors import InvalidParameter

MOST_RECIPIENTS = 50


def recipients(given: Any, field: str) -> list[str]:
    """Each once. Raises InvalidParameter about `field`."""
    listed = given if isinstance(given, list) else re.split(r"[\s,;]+", str(given or ""))
    addresses = list(dict.fromkeys(checked_email(each, field) for each in listed if each != ""))
    if not 0 < len(addresses) <= MOST_RECIPIENTS:
        raise InvalidParameter(field, f"1 to {MOST_RECIPIENTS} email addresses")
    return addresses
