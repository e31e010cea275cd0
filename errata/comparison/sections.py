"""What of two events is compared, and under which name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from errata.comparison.difference import MISSING, Row, Side, difference

EVENT_FIELDS = (
    *("level", "environment", "release", "dist", "transaction", "logger"),
    *("server_name", "platform", "message", "fingerprint"),
)
# Another one at every event: it says nothing about the two.
NOT_COMPARED = frozenset({"trace", "replay"})
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,16}\b")
MOST_CRUMBS = 200
MOST_FRAMES = 100


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    rows: tuple[Row, ...]

    @property
    def different_count(self) -> int:
        return sum(row.is_different for row in self.rows)


def compared(left: dict[str, Any], right: dict[str, Any]) -> list[Section]:
    """Of payloads of any shape; a section that neither event has anything for is left out."""
    found = [
        Section(name, title, tuple(difference(part(left), part(right))))
        for name, title, part in (
            ("event", "Event", _event),
            ("request", "Request", _request),
            ("user", "User", lambda payload: _mapping(payload.get("user"))),
            ("tags", "Tags", lambda payload: _named(payload.get("tags"))),
            ("environment", "Environment and contexts", _contexts),
            ("extra", "Extra data", lambda payload: _named(payload.get("extra"))),
            ("variables", "Local variables", _variables),
            ("packages", "Packages", lambda payload: _named(payload.get("modules"))),
        )
    ]
    found.insert(-1, Section("breadcrumbs", "Breadcrumbs", tuple(_breadcrumbs(left, right))))
    return [section for section in found if any(row.path for row in section.rows)]


def _event(payload: dict[str, Any]) -> dict[str, Any]:
    fields = {name: payload[name] for name in EVENT_FIELDS if name in payload}
    for value in _values(payload.get("exception"))[-1:]:
        raised = _mapping(value)
        fields |= {name: raised[name] for name in ("type", "value") if name in raised}
    sdk = _mapping(payload.get("sdk"))
    return fields | {f"sdk.{name}": sdk[name] for name in ("name", "version") if name in sdk}


def _request(payload: dict[str, Any]) -> dict[str, Any]:
    sent = _mapping(payload.get("request"))
    fields = {name: sent[name] for name in ("method", "url") if name in sent}
    parts: dict[str, Any] = {
        "query": _query(sent),
        "headers": {name.lower(): value for name, value in _named(sent.get("headers")).items()},
        "cookies": _named(sent.get("cookies")),
        "body": sent.get("data"),
        "env": _named(sent.get("env")),
    }
    return fields | {name: part for name, part in parts.items() if part not in (None, {}, "", [])}


def _query(sent: dict[str, Any]) -> dict[str, Any]:
    query = sent.get("query_string")
    if query and not isinstance(query, str):
        return _named(query)
    url = sent.get("url")
    try:
        text = query or (urlsplit(url).query if isinstance(url, str) else "")
        pairs = parse_qsl(text.removeprefix("?"), keep_blank_values=True, max_num_fields=500)
    except ValueError:
        return {"query": query}
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = [*found[name], value] if name in found else [value]
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _contexts(payload: dict[str, Any]) -> dict[str, Any]:
    contexts = _mapping(payload.get("contexts"))
    return {name: value for name, value in contexts.items() if name not in NOT_COMPARED}


def _variables(payload: dict[str, Any]) -> dict[str, Any]:
    """Of the raised exception, top frame first; a function that comes again is told apart by a number."""
    found: dict[str, Any] = {}
    for value in _values(payload.get("exception"))[-1:]:
        frames = _mapping(_mapping(value).get("stacktrace")).get("frames")
        for frame in reversed(frames[-MOST_FRAMES:] if isinstance(frames, list) else []):
            raw = _mapping(frame)
            if not _mapping(raw.get("vars")) or raw.get("in_app") is False:
                continue
            name = base = str(raw.get("function") or "<anonymous>")
            number = 1
            while name in found:
                number += 1
                name = f"{base}#{number}"
            found[name] = _without_addresses(raw["vars"])
    return found


def _without_addresses(value: Any) -> Any:
    """Where an object lay in memory is chance."""
    if isinstance(value, dict):
        return {name: _without_addresses(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_addresses(item) for item in value]
    return ADDRESS.sub(" at 0x…", value) if isinstance(value, str) else value


def _breadcrumbs(left: dict[str, Any], right: dict[str, Any]) -> Iterator[Row]:
    """Aligned by category and message: when each happened differs always."""
    ours, theirs = (_crumbs(payload) for payload in (left, right))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        pairs = max(last - first, end - start) if tag in ("equal", "replace") else 0
        for place in range(pairs):
            yield _crumb_row(
                ours[first + place] if first + place < last else None,
                theirs[start + place] if start + place < end else None,
            )
        if tag == "delete":
            yield from (_crumb_row(crumb, None) for crumb in ours[first:last])
        if tag == "insert":
            yield from (_crumb_row(None, crumb) for crumb in theirs[start:end])


Crumb = tuple[str, str]


def _crumb_row(left: Crumb | None, right: Crumb | None) -> Row:
    names = dict.fromkeys(crumb[0] for crumb in (left, right) if crumb)
    sides = (Side("text", crumb[1]) if crumb else MISSING for crumb in (left, right))
    return Row(" / ".join(names), *sides)


def _crumbs(payload: dict[str, Any]) -> list[Crumb]:
    found = []
    for sent in _values(payload.get("breadcrumbs"))[-MOST_CRUMBS:]:
        crumb = _mapping(sent)
        data = _mapping(crumb.get("data"))
        told = (crumb.get("message"), data.get("method"), data.get("url"), data.get("status_code"))
        message = " ".join(str(part) for part in told if part not in (None, ""))
        found.append((str(crumb.get("category") or crumb.get("type") or "default"), message))
    return found


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _values(value: Any) -> list[Any]:
    """The protocol's lists come bare or as {"values": [...]}."""
    found = value.get("values") if isinstance(value, dict) else value
    return found if isinstance(found, list) else []


def _named(value: Any) -> dict[str, Any]:
    """Headers, tags and parameters come as an object or as a list of pairs."""
    if isinstance(value, dict):
        return value
    pairs = value if isinstance(value, list) else []
    return {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2}
