"""Takes secrets out of a payload before it is stored: the last line of defence, after the SDK's own."""

import re
from typing import Any
from urllib.parse import unquote_plus

import msgspec

FILTERED = "[FILTERED]"
FILTERED_BY_SDKS = b'"[Filtered]"'
DEEPEST = 200

# Whole names; `-` and case do not matter. A name of several words is met by its parts below.
NAMES = frozenset(
    """
    auth authorization proxy_authorization cookie cookies set_cookie token tokens csrf xsrf csrftoken _csrf
    _xsrf session sessionid session_id phpsessid connect.sid pwd pass passcode otp pin ssn cvv cvc cvv2 iban
    credentials dsn x_auth_token x_amz_security_token
    """.split()
)
PARTS = tuple(
    """
    password passwd passphrase secret api_key apikey access_key accesskey private_key privatekey access_token
    refresh_token auth_token id_token bearer credit_card creditcard card_number cardnumber csrf_token
    csrfmiddlewaretoken xsrf_token client_assertion
    """.split()
)
# Names of the protocol that would match by chance and hold no secret.
HARMLESS = frozenset({"cookies_enabled", "cookie_enabled"})
# Names and versions of packages, and remarks of the SDK on what it cut: no secrets, whatever they sound like.
WITHOUT_SECRETS = ("modules", "_meta", "sdk")
SECRET_IN_QUERY = re.compile(r"([?&;]|^)([^=&;?#\s]{1,100})=([^&;#\s]*)")


class TooDeep(Exception):
    """The payload is nested deeper than any SDK nests."""


# What names met before turned out to be: an application uses few, and each is looked at once.
_known_names: dict[str, bool] = {}
KNOWN_NAMES_MAX = 100_000


def is_sensitive(key: str) -> bool:
    known = _known_names.get(key)
    if known is not None:
        return known
    name = key.strip().lower().replace("-", "_")
    found = name not in HARMLESS and (name in NAMES or any(part in name for part in PARTS))
    if len(_known_names) < KNOWN_NAMES_MAX:
        _known_names[key] = found
    return found


def in_our_words(payload: bytes) -> bytes:
    """JSON in which what an SDK has filtered reads as what we have."""
    return payload.replace(FILTERED_BY_SDKS, b'"[FILTERED]"') if b"[Filtered]" in payload else payload


def scrub(payload: dict[str, Any]) -> bool:
    """Replaces secrets in place by `[FILTERED]`; whether anything changed."""
    aside = {name: payload.pop(name) for name in WITHOUT_SECRETS if name in payload}
    changed = _scrub_object(payload, 0)
    payload.update(aside)
    request = payload.get("request")
    if type(request) is dict:
        changed = _scrub_request(request) or changed
    return changed


def _scrub_object(node: dict[str, Any], depth: int) -> bool:
    if depth > DEEPEST:
        raise TooDeep
    changed = False
    known_name = _known_names.get
    for key, value in node.items():
        if known_name(key, True) and is_sensitive(key):
            if value and value != FILTERED and value is not True:
                node[key] = FILTERED
                changed = True
            continue
        kind = type(value)
        if kind is dict:
            if _scrub_object(value, depth + 1):
                changed = True
        elif kind is list and _scrub_array(value, depth + 1):
            changed = True
    return changed


def _scrub_array(node: list[Any], depth: int) -> bool:
    if depth > DEEPEST:
        raise TooDeep
    changed = False
    for value in node:
        kind = type(value)
        if kind is dict:
            if _scrub_object(value, depth + 1):
                changed = True
        elif kind is list and _scrub_array(value, depth + 1):
            changed = True
    # Headers and query parameters may come as [name, value].
    if len(node) == 2 and type(node[0]) is str and type(node[1]) is str and is_sensitive(node[0]):
        changed = changed or node[1] != FILTERED
        node[1] = FILTERED
    return changed


def _scrub_request(request: dict[str, Any]) -> bool:
    changed = False
    for key in ("url", "query_string"):
        value = request.get(key)
        if type(value) is str:
            request[key] = scrub_query(value)
            changed = changed or request[key] != value
    body = request.get("data")
    if type(body) is str and body:
        request["data"] = _scrub_body(body)
        changed = changed or request["data"] != body
    return changed


def scrub_query(text: str) -> str:
    """A URL or query string with the values of sensitive parameters replaced."""
    if "=" not in text:
        return text
    return SECRET_IN_QUERY.sub(_filtered_parameter, text)


def _filtered_parameter(match: re.Match[str]) -> str:
    if not is_sensitive(unquote_plus(match[2])):
        return match[0]
    return f"{match[1]}{match[2]}={FILTERED}"


def _scrub_body(body: str) -> str:
    """A body sent as text: JSON and form fields are scrubbed inside it."""
    if body.lstrip()[:1] in ("{", "["):
        try:
            decoded = msgspec.json.decode(body)
            changed = _scrub_object(decoded, 0) if isinstance(decoded, dict) else _scrub_array(decoded, 0)
        except (msgspec.DecodeError, RecursionError, TooDeep):
            return body
        return msgspec.json.encode(decoded).decode() if changed else body
    return scrub_query(body)
