"""What a browser's envelope becomes in the log file."""

from typing import Any

from errata_sdk import envelope
from errata_sdk.line import binary_line_of, line_of
from errata_sdk.log_file import LogFile

# Items that are one with the envelope's `event_id`, which some SDKs write nowhere else.
_NAMED_BY_ENVELOPE = {"event", "transaction", "feedback"}


def append_envelope(body: bytes, app_key: str, log_file: LogFile, client_address: str = "") -> int:
    """Write the items of a browser's envelope to the log; how many were written.

    Nothing is written of a body that is not an envelope.
    """
    header = envelope.header(body)
    items = list(envelope.items(body))
    return sum(log_file.append(_line(item, header, app_key, client_address)) for item in items)


def _line(item: envelope.EnvelopeItem, header: dict[str, Any], app_key: str, client_address: str) -> bytes:
    headers = dict(item.headers)
    # The items of some SDKs name their release, environment and sample rate nowhere else.
    if header.get("trace") and item.type != "event":
        headers["trace"] = header["trace"]
    # A recording's bytes name their segment, but only the envelope names the recording.
    if item.type == "replay_recording" and header.get("event_id"):
        headers["event_id"] = header["event_id"]
    try:
        payload = item.json()
    except (ValueError, RecursionError):
        return binary_line_of(item.type, app_key, headers, item.payload)
    if isinstance(payload, dict):
        if item.type in _NAMED_BY_ENVELOPE and header.get("event_id"):
            payload.setdefault("event_id", header["event_id"])
        _name_address(payload, client_address)
    return line_of(item.type, app_key, headers, payload)


def _name_address(payload: dict[str, Any], client_address: str) -> None:
    """A browser does not know its address: where the page names its user, the place is left free or open."""
    user = payload.get("user")
    if not isinstance(user, dict) or not user:
        return
    asked = user.get("ip_address") == "{{auto}}"
    sdk = payload.get("sdk")
    settings = sdk.get("settings") if isinstance(sdk, dict) else None
    inferred = isinstance(settings, dict) and settings.get("infer_ip") == "auto"
    if client_address and (asked or (inferred and "ip_address" not in user)):
        user["ip_address"] = client_address
    elif asked:
        del user["ip_address"]
