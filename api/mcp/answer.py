"""An answer of a tool: at most so many bytes, with a cursor for the rest."""

import json
from dataclasses import dataclass, field
from typing import Any

# Of a whole result: the same JSON stands in it twice, as an object, and as text for clients that read no
# objects.
MOST_BYTES = 24_000
# What the protocol adds around it.
_FRAME_BYTES = 500
LONGEST_TEXT = 1_000
SHORT_TEXT = 120


@dataclass(frozen=True)
class Answer:
    """`head` is always whole; of `items` as many as there is room for. `cursor`: where `items` begin, and
    `next_cursor`: the source's own, behind the last item."""

    head: dict[str, Any] = field(default_factory=dict)
    items: list[Any] | None = None
    cursor: str = ""
    next_cursor: str | None = None

    def is_whole(self) -> bool:
        """Whether all items have room in one answer."""
        return self.fitted()[1]

    def fitted(self) -> tuple[dict[str, Any], bool]:
        """The answer within its bytes, and whether all items are in it."""
        head = shortened(self.head, LONGEST_TEXT)
        if _bytes(head) > MOST_BYTES // 2:
            head = shortened(self.head, SHORT_TEXT)
        if self.items is None:
            return head, True
        start = int(self.cursor) if self.cursor.isdecimal() else 0
        chosen: list[Any] = []
        room = MOST_BYTES - _FRAME_BYTES - _bytes({**head, "items": [], "next_cursor": "x" * 100})
        for item in self.items[start:]:
            item = shortened(item, LONGEST_TEXT)
            if not chosen and _bytes(item) > room:
                item = cut(item, room)
            room -= _bytes(item)
            if room < 0:
                break
            chosen.append(item)
        is_whole = start + len(chosen) >= len(self.items)
        following = self.next_cursor if is_whole else str(start + len(chosen))
        return {**head, "items": chosen, "next_cursor": following}, is_whole


def shortened(value: Any, most: int) -> Any:
    """The same with long texts cut, and told so."""
    if isinstance(value, str):
        return value if len(value) <= most else f"{value[:most]}… ({len(value) - most} more characters)"
    if isinstance(value, dict):
        return {shortened(str(name), SHORT_TEXT): shortened(part, most) for name, part in value.items()}
    return [shortened(part, most) for part in value] if isinstance(value, list) else value


def cut(value: Any, room: int) -> Any:
    """A value that fits: texts are cut shorter, then lists and objects end earlier."""
    most_texts, most_parts = LONGEST_TEXT, 1 << 20
    while _bytes(value) > room and most_parts > 1:
        most_texts, most_parts = max(most_texts // 2, 20), min(most_parts, 256) // 2
        value = _thinned(shortened(value, most_texts), most_parts)
    return value


def _thinned(value: Any, most: int) -> Any:
    if isinstance(value, list):
        return [_thinned(part, most) for part in value[:most]]
    if isinstance(value, dict):
        return {name: _thinned(part, most) for name, part in list(value.items())[:most]}
    return value


def _bytes(value: Any) -> int:
    """As the value counts in a result: once as JSON, and once more as a text of JSON."""
    text = as_text(value)
    return len(text.encode()) + len(json.dumps(text, ensure_ascii=False).encode())


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
