"""A line to deliver, and its text: also what no JSON encoder writes."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

# A string that begins so stands in the text without quotes: numbers that Python has no value for.
BARE = "\0bare:"
BARE_IN_TEXT = re.compile(r'"\\u0000bare:([^"]*)"')


@dataclass
class Line:
    """An item; `first` and `last` are text at the ends of its payload, `instead` takes the place of all."""

    item: dict[str, Any]
    first: str = ""
    last: str = ""
    instead: bytes | None = field(default=None)

    @property
    def payload(self) -> dict[str, Any]:
        payload = self.item.get("payload")
        return payload if isinstance(payload, dict) else {}

    @property
    def type(self) -> str:
        return str(self.item.get("type", ""))

    def copy(self) -> "Line":
        """By way of its text: what is nested deeply is too deep for `copy.deepcopy`."""
        return replace(self, item=json.loads(json.dumps(self.item)))

    def text(self) -> bytes:
        if self.instead is not None:
            return self.instead
        item = dict(self.item)
        payload = item.pop("payload", None)
        outer = _json(item)
        if payload is None:
            return outer.encode()
        inner = _json(payload)
        if isinstance(payload, dict) and payload:
            inner = "{" + self.first + inner[1:-1] + self.last + "}"
        return f'{outer[:-1]}, "payload": {inner}}}'.encode()


def _json(value: Any) -> str:
    return BARE_IN_TEXT.sub(lambda found: found[1], json.dumps(value))
