"""Events in the form that Sentry's REST API documents, made of events as SDKs send them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

FRAME = {
    "filename": "filename",
    "abs_path": "absPath",
    "module": "module",
    "package": "package",
    "platform": "platform",
    "function": "function",
    "raw_function": "rawFunction",
    "symbol": "symbol",
    "lineno": "lineNo",
    "colno": "colNo",
    "in_app": "inApp",
    "trust": "trust",
    "instruction_addr": "instructionAddr",
    "symbol_addr": "symbolAddr",
    "vars": "vars",
}
TAGS = ("environment", "level", "release", "dist", "server_name", "transaction", "logger")


def documented(payload: Mapping[str, Any], group_id: str = "1", project_id: str = "2") -> dict[str, Any]:
    """As one of `GET …/events/?full=true`: every field, null where the event has none."""
    sent = _tags(payload.get("tags"))
    derived = {name: payload[name] for name in TAGS if payload.get(name)} | {"handled": "no"}
    tags = {**sent, "level": "error", **derived}
    entries = _entries(payload)
    return {
        "id": payload.get("event_id"),
        "eventID": payload.get("event_id"),
        "groupID": group_id,
        "projectID": project_id,
        "size": 1234,
        "entries": entries,
        "dist": payload.get("dist"),
        "message": _message(payload),
        "title": "Title",
        "location": None,
        "user": _user(payload.get("user")),
        "contexts": {
            name: {**value, "type": name} if isinstance(value, dict) else value
            for name, value in (payload.get("contexts") or {}).items()
        },
        "sdk": payload.get("sdk")
        and {"name": payload["sdk"].get("name"), "version": payload["sdk"].get("version")},
        "context": payload.get("extra") or {},
        "packages": payload.get("modules") or {},
        "type": "error" if payload.get("exception") else "default",
        "metadata": {},
        "tags": [{"key": key, "value": str(value)} for key, value in sorted(tags.items())],
        "platform": payload.get("platform") or "other",
        "dateReceived": payload.get("timestamp"),
        "dateCreated": payload.get("timestamp"),
        "errors": [],
        "occurrence": None,
        "_meta": {"entries": {}, "message": None, "user": None, "tags": {}},
        "crashFile": None,
        "culprit": payload.get("transaction") or "",
        "fingerprints": ["9e107d9d372bb6826bd81d3542a419d6"],
        "groupingConfig": {"id": "newstyle:2023-01-11", "enhancements": ""},
        "release": {"version": payload["release"]} if payload.get("release") else None,
        "userReport": None,
        "sdkUpdates": [],
    }


def _entries(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    made: list[tuple[str, Any]] = []
    for value in _values(payload.get("exception")):
        if not made:
            made.append(("exception", {"values": [], "hasSystemFrames": True, "excOmitted": None}))
        made[0][1]["values"].append(_exception(value))
    message = payload.get("logentry") or payload.get("message")
    if message:
        made.append(("message", _logentry(message)))
    if threads := _values(payload.get("threads")):
        made.append(("threads", {"values": [_thread(each) for each in threads]}))
    if payload.get("stacktrace"):
        made.append(("stacktrace", _stack(payload["stacktrace"])))
    if payload.get("request"):
        made.append(("request", _request(payload["request"])))
    if breadcrumbs := _values(payload.get("breadcrumbs")):
        made.append(("breadcrumbs", {"values": [_breadcrumb(each) for each in breadcrumbs]}))
    if payload.get("debug_meta"):
        made.append(("debugmeta", payload["debug_meta"]))
    return [{"type": kind, "data": data} for kind, data in made]


def _exception(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": value.get("type"),
        "value": value.get("value"),
        "mechanism": value.get("mechanism"),
        "threadId": value.get("thread_id"),
        "module": value.get("module"),
        "stacktrace": _stack(value.get("stacktrace")),
        "rawStacktrace": None,
    }


def _thread(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": value.get("id"),
        "current": bool(value.get("current")),
        "crashed": bool(value.get("crashed")),
        "name": value.get("name"),
        "stacktrace": _stack(value.get("stacktrace")),
        "rawStacktrace": None,
    }


def _stack(stack: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not stack or not stack.get("frames"):
        return None
    frames = [_frame(each) for each in stack["frames"] if each]
    return {"frames": frames, "framesOmitted": None, "registers": None, "hasSystemFrames": True}


def _frame(frame: Mapping[str, Any]) -> dict[str, Any]:
    told = {theirs: frame.get(ours) for ours, theirs in FRAME.items()}
    return {**told, "context": _context(frame), "errors": None, "lock": None, "sourceLink": None}


def _context(frame: Mapping[str, Any]) -> list[list[Any]]:
    own, number = frame.get("context_line"), frame.get("lineno")
    before, after = frame.get("pre_context") or [], frame.get("post_context") or []
    if number is None or (own is None and not before and not after):
        return []
    first = number - len(before)
    return [[first + place, line] for place, line in enumerate([*before, own, *after])]


def _logentry(message: Any) -> dict[str, Any]:
    """Sentry keeps a template only where it differs from the text."""
    if not isinstance(message, dict):
        return {"formatted": str(message)}
    template, params = message.get("message"), message.get("params")
    said = message.get("formatted")
    if said is None and params and template:
        said = template % (tuple(params) if isinstance(params, list) else params)
    if said is None or said == template:
        return {"formatted": template}
    return {"message": template, "formatted": said, "params": params or None}


def _message(payload: Mapping[str, Any]) -> str:
    message = payload.get("logentry") or payload.get("message")
    if not message:
        return ""
    told = _logentry(message)
    return str(told.get("formatted") or told.get("message"))


def _request(request: Mapping[str, Any]) -> dict[str, Any]:
    url, _, query = str(request.get("url") or "").partition("?")
    given = request.get("query_string") or query
    pairs = [list(pair) for pair in parse_qsl(given)] if isinstance(given, str) else given
    return {
        "method": request.get("method"),
        "url": url,
        "query": pairs,
        "fragment": None,
        "data": request.get("data"),
        "headers": sorted([key, value] for key, value in dict(request.get("headers") or {}).items()),
        "cookies": [],
        "env": request.get("env"),
        "inferredContentType": None,
        "apiTarget": None,
    }


def _breadcrumb(value: Mapping[str, Any]) -> dict[str, Any]:
    names = ("type", "timestamp", "level", "message", "category", "data", "event_id")
    return {"type": "default", "level": "info", **{name: value.get(name) for name in names}}


def _user(user: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not user:
        return None
    names = ("id", "email", "username", "ip_address", "name", "geo")
    others = {name: value for name, value in user.items() if name not in names}
    return {**{name: user.get(name) for name in names}, "data": others or None}


def _tags(tags: Any) -> dict[str, Any]:
    return dict(tags) if tags else {}


def _values(holder: Any) -> list[dict[str, Any]]:
    values = holder.get("values") if isinstance(holder, dict) else holder
    return [each for each in values or [] if isinstance(each, dict)]
