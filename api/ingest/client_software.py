"""Browser and operating system of an event, from what the SDK says of them."""

from typing import Any


def browser_and_os(contexts: dict[str, Any], request: dict[str, Any]) -> tuple[str, str]:
    return _name(contexts.get("browser")), _name(contexts.get("client_os")) or _name(contexts.get("os"))


def _name(context: Any) -> str:
    name = context.get("name") if isinstance(context, dict) else None
    return name[:64] if isinstance(name, str) else ""
