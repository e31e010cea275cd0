"""A nested value as a tree of bounded size, ready to be drawn as folded lines."""

from dataclasses import dataclass

from dashboards.event.shapes import text

MOST_CHILDREN = 100
DEEPEST = 12
LONGEST_TEXT = 10_000
FILTERED = frozenset({"[FILTERED]", "[Filtered]"})


@dataclass(frozen=True, slots=True)
class Node:
    """`kind` is object, list, text, number, boolean, null, filtered or more (what was left out)."""

    name: str
    kind: str
    text: str
    children: tuple["Node", ...] = ()


def tree(value: object, name: str = "", depth: int = 0) -> Node:
    if isinstance(value, dict | list):
        return _branch(value, name, depth)
    if value is None:
        return Node(name, "null", "null")
    if isinstance(value, bool):
        return Node(name, "boolean", text(value))
    if isinstance(value, int | float):
        return Node(name, "number", text(value))
    words = text(value)
    if words in FILTERED:
        return Node(name, "filtered", words)
    if len(words) > LONGEST_TEXT:
        words = words[:LONGEST_TEXT] + f"… ({len(words) - LONGEST_TEXT:,} more characters)"
    return Node(name, "text", words)


def _branch(value: dict[str, object] | list[object], name: str, depth: int) -> Node:
    kind = "object" if isinstance(value, dict) else "list"
    length = len(value)
    if not length:
        return Node(name, "text", "{}" if kind == "object" else "[]")
    summary = f"{length} {'key' if kind == 'object' else 'item'}{'' if length == 1 else 's'}"
    if depth >= DEEPEST:
        return Node(name, "more", f"{summary}, nested too deeply to show")
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    children = []
    for position, (key, item) in enumerate(entries):
        if position == MOST_CHILDREN:
            children.append(Node("", "more", f"{length - MOST_CHILDREN:,} more"))
            break
        children.append(tree(item, text(key), depth + 1))
    return Node(name, kind, summary, tuple(children))
