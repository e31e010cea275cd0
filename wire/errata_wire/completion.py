"""What an item gets from its envelope and from its sender, before it becomes a line of its own."""

from collections.abc import Mapping
from typing import Any

from errata_wire.envelope import Item

# Headers that say nothing a line does not say already.
IMPLIED_HEADERS = {"type", "length"}
# Items that are one with the envelope's `event_id`, which some SDKs write nowhere else.
NAMED_BY_ENVELOPE = {"event", "transaction", "feedback"}

# Items whose payload is bytes, whatever they look like.
BINARY = {"replay_recording", "attachment"}


def completed_headers(item: Item, envelope: Mapping[str, Any]) -> dict[str, Any]:
    """The headers of the item's line; `envelope` are those of its envelope."""
    headers = {name: value for name, value in item.headers.items() if name not in IMPLIED_HEADERS}
    # The items of some SDKs name their release, environment and sample rate nowhere else.
    if envelope.get("trace") and item.type != "event":
        headers["trace"] = envelope["trace"]
    # Bytes cannot name what they belong to: a recording names its segment, a file nothing.
    if item.type in BINARY and envelope.get("event_id"):
        headers["event_id"] = envelope["event_id"]
    return headers


def completed_user(payload: Mapping[str, Any], client_address: str) -> dict[str, Any] | None:
    """The payload's user with the sender's address; None if the user stays unchanged.

    A browser does not know its address: where the page names its user, it leaves the address open or absent.
    """
    user = payload.get("user")
    if not isinstance(user, dict) or not user:
        return None
    is_open = user.get("ip_address") == "{{auto}}"
    sdk = payload.get("sdk")
    settings = sdk.get("settings") if isinstance(sdk, dict) else None
    is_inferred = isinstance(settings, dict) and settings.get("infer_ip") == "auto"
    if client_address and (is_open or (is_inferred and "ip_address" not in user)):
        return {**user, "ip_address": client_address}
    if is_open:
        return {name: value for name, value in user.items() if name != "ip_address"}
    return None
