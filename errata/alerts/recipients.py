"""The e-mail addresses that somebody names: a list, or text with commas, semicolons or lines between."""

import re
from typing import Any

from errata.errors import InvalidParameter

ADDRESS = re.compile(r"[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,255}")
MOST_RECIPIENTS = 50


def recipients(given: Any, field: str) -> list[str]:
    """Each once. Raises InvalidParameter about `field`."""
    listed = given if isinstance(given, list) else re.split(r"[\s,;]+", str(given or ""))
    addresses = list(dict.fromkeys(str(each).strip() for each in listed if str(each).strip()))
    if not 0 < len(addresses) <= MOST_RECIPIENTS:
        raise InvalidParameter(field, f"1 to {MOST_RECIPIENTS} email addresses")
    for address in addresses:
        if not ADDRESS.fullmatch(address) or not address.isprintable():
            raise InvalidParameter(field, f"{address[:80]} is not an email address")
    return addresses
