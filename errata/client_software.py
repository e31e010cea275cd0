"""Browser, operating system and device of an event: from the SDK, else from the User-Agent header."""

from typing import Any, NamedTuple

from errata.user_agent import UserAgent, user_agent


class ClientSoftware(NamedTuple):
    browser: str
    os: str
    device: str


def client_software(contexts: dict[str, Any], request: dict[str, Any]) -> ClientSoftware:
    """On a server `os` is the server's own, as named by its SDK; the browser is the visitor's."""
    told = user_agent(header(request.get("headers"), "user-agent")) if request else UserAgent()
    return ClientSoftware(
        _field(contexts.get("browser"), "name") or told.browser,
        _field(contexts.get("client_os"), "name") or _field(contexts.get("os"), "name") or told.os,
        _field(contexts.get("device"), "model") or told.device,
    )


def header(headers: Any, name: str) -> str:
    """The header of this name in lower case, cut to length. Headers are an object or a list of [name,
    value]."""
    pairs = headers.items() if isinstance(headers, dict) else headers if isinstance(headers, list) else ()
    for pair in pairs:
        if (
            isinstance(pair, list | tuple)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and pair[0].lower() == name
        ):
            return pair[1][:1000] if isinstance(pair[1], str) else ""
    return ""


def _field(context: Any, name: str) -> str:
    value = context.get(name) if isinstance(context, dict) else None
    return value[:100] if isinstance(value, str) else ""
