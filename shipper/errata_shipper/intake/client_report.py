"""What is dropped here is counted on the server like what the SDKs drop themselves."""

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from errata_wire.envelope import Item

# The protocol's words for what is counted, where they are not the item's type.
_CATEGORIES = {
    "event": "error",
    "sessions": "session",
    "check_in": "monitor",
    "replay_event": "replay",
    "replay_recording": "replay",
    "log": "log_item",
}


def client_report(dropped: Iterable[Item], reason: str, now: datetime) -> Item:
    counts = Counter(_CATEGORIES.get(item.type, item.type) for item in dropped)
    events = [
        {"reason": reason, "category": category, "quantity": quantity}
        for category, quantity in counts.items()
    ]
    payload = {"timestamp": now.timestamp(), "discarded_events": events}
    return Item("client_report", {}, json.dumps(payload).encode())
