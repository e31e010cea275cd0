"""Redaction of events for people without an account: no personal data, no values of variables."""

from typing import Any

from dashboards.event.shapes import pairs
from dashboards.sharing.addresses import masked
from dashboards.sharing.allowed import allowed

USER_TAGS = ("user", "email", "ip_address", "username")


def redacted(payload: Any, *, with_user: bool, with_values: bool) -> Any:
    """A copy without what is left out; e-mail and IP addresses in texts are replaced."""
    if not isinstance(payload, dict):
        return {}
    if with_user and with_values:
        return payload
    tags = pairs(payload.get("tags"))
    if with_values:
        others = [[*tag] for tag in tags if not _is_of_user(tag[0])]
        return masked({name: value for name, value in payload.items() if name != "user"} | {"tags": others})
    shown = allowed("event", payload)
    if not with_user:
        return masked(shown)
    of_user = [[*tag] for tag in tags if _is_of_user(tag[0])]
    user = {"user": payload["user"]} if "user" in payload else {}
    return shown | user | {"tags": [*map(list, pairs(shown.get("tags"))), *of_user]}


def _is_of_user(name: str) -> bool:
    return name.lower() in USER_TAGS or name.lower().startswith(("user.", "user_"))
