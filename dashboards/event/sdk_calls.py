"""The calls with which an application adds to its events, in the words of the SDK that sent one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SdkCalls:
    add_breadcrumb: str
    set_extra: str
    set_user: str


_PYTHON = SdkCalls(
    "sentry_sdk.add_breadcrumb(category=…, message=…)",
    'sentry_sdk.set_extra("cart", {…})',
    'sentry_sdk.set_user({"id": …, "email": …})',
)
_JAVASCRIPT = SdkCalls(
    "Sentry.addBreadcrumb({category: …, message: …})",
    'Sentry.setExtra("cart", {…})',
    "Sentry.setUser({id: …, email: …})",
)
_BY_PLATFORM = {"python": _PYTHON, "javascript": _JAVASCRIPT, "node": _JAVASCRIPT}


def sdk_calls(platform: str) -> SdkCalls | None:
    """None for a platform whose calls we don't know by heart."""
    return _BY_PLATFORM.get(platform)
