"""Redaction of events for people without an account: no personal data, no values of variables."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Any

# A release such as shop@2.0.1 is none.
EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?!\d+\.\d)(?:[\w-]{1,63}\.){1,8}[^\W\d_][\w-]{1,62}")
IPV4 = re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])")
# Also times of day and names of modules: each is looked at.
MAYBE_IPV6 = re.compile(r"(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])", re.I)
# What an SDK tells of machine and software; every other context is the application's own.
KNOWN_CONTEXTS = frozenset(
    "app browser client_os cloud_resource culture device flags gpu os react response runtime trace".split()
)
USER_TAGS = ("user", "email", "ip_address", "username")
DEEPEST = 60


def redacted(payload: Any, *, with_user: bool, with_values: bool) -> Any:
    """A copy without what is left out; e-mail and IP addresses in texts are replaced."""
    if not isinstance(payload, dict):
        return {}
    shown = dict(payload)
    if not with_values:
        shown = _without_values(shown)
    if not with_user:
        shown.pop("user", None)
        shown["tags"] = _tags(shown.get("tags"))
        shown = masked(shown)
    return shown


def masked(value: Any) -> Any:
    """A copy in whose texts e-mail and IP addresses are replaced."""
    return _masked(value, 0)


def masked_text(text: str) -> str:
    """The text without e-mail and IP addresses."""
    text = EMAIL.sub("[email]", text) if "@" in text else text
    text = IPV4.sub(_ipv4, text) if "." in text else text
    return MAYBE_IPV6.sub(_address, text) if ":" in text else text


def _ipv4(match: re.Match[str]) -> str:
    """No host has an address that ends in three zeros; a browser has such a version: Chrome/120.0.0.0."""
    return match[0] if match[0].endswith(".0.0.0") else "[IP]"


def _address(match: re.Match[str]) -> str:
    try:
        return "[IP]" if int(IPv6Address(match[0])) else match[0]
    except AddressValueError:
        return match[0]


def _masked(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return masked_text(value)
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        return {masked_text(str(name)): _masked(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, depth + 1) for item in value]
    return value


def _without_values(payload: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in payload.items() if name != "extra"}
    request = payload.get("request")
    if isinstance(request, dict):
        shown["request"] = {
            name: value for name, value in request.items() if name not in ("data", "cookies", "env")
        }
    contexts = payload.get("contexts")
    if isinstance(contexts, dict):
        shown["contexts"] = {name: value for name, value in contexts.items() if name in KNOWN_CONTEXTS}
    for name in ("exception", "threads", "stacktrace"):
        if name in shown:
            shown[name] = _without_variables(shown[name], 0)
    crumbs = payload.get("breadcrumbs")
    if crumbs is not None:
        shown["breadcrumbs"] = _without_data(crumbs)
    return shown


# Source lines hold values too: a password that stands in one is no less of a secret.
OF_VARIABLES = frozenset({"vars", "data", "context_line", "pre_context", "post_context"})


def _without_variables(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        return {
            name: _without_variables(item, depth + 1)
            for name, item in value.items()
            if name not in OF_VARIABLES
        }
    return [_without_variables(item, depth + 1) for item in value] if isinstance(value, list) else value


# Of a request or a navigation, what its line shows.
CRUMB_DATA = ("url", "method", "status_code", "reason", "from", "to", "http.method", "http.url")


def _without_data(crumbs: Any) -> Any:
    if isinstance(crumbs, dict):
        return {**crumbs, "values": _without_data(crumbs.get("values"))}
    if not isinstance(crumbs, list):
        return crumbs
    return [{**crumb, "data": _known(crumb.get("data"))} for crumb in crumbs if isinstance(crumb, dict)]


def _known(data: Any) -> dict[str, Any]:
    return {name: data[name] for name in CRUMB_DATA if name in data} if isinstance(data, dict) else {}


def _tags(tags: Any) -> Any:
    if isinstance(tags, dict):
        return {name: value for name, value in tags.items() if not _is_of_user(name)}
    if isinstance(tags, list):
        return [pair for pair in tags if isinstance(pair, list) and pair and not _is_of_user(pair[0])]
    return {}


def _is_of_user(name: Any) -> bool:
    text = str(name).lower()
    return text in USER_TAGS or text.startswith(("user.", "user_"))
