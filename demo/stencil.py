"""A captured item made ready to be written many times, each time with its own moments, ids and visitor.

The line is made once, by the SDK, with marks in the places of what differs; each copy fills in the marks.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from errata_sdk.line import line_of

APP_KEY = "errata_app_of_stencil"
SDK_MARK = "@@"
_MARK = re.compile(r'"@@(\w)([^@]*)@@"|@@(V)@@')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{16}")
_HOST = re.compile(
    r"https?://(?:127\.0\.0\.1|localhost):\d+|(?:http://)?((?:\w+\.)?(?:shop|partner))\.localhost(?::\d+)?"
)
_ASSETS = re.compile(r"assets/\d+\.\d+\.\d+/")
# Seconds since 1970 in these years; no other number of an item is as large.
_SECONDS = range(1_700_000_000, 2_000_000_000)
# By name: what takes longer where a page does.
_MILLISECONDS = re.compile(
    r"browser\.web_vital\.(ttfb|fp|fcp|lcp)\.value|browser\.web_vital\.lcp\.(load|render)_time|.*ttfb\.request_time"
)
_BYTES = re.compile(r"http\.response\.(size|body\.size|body\.decoded_size)")
_NAMED = {
    **dict.fromkeys(("release", "sentry.release"), "r"),
    **dict.fromkeys(("environment", "sentry.environment"), "v"),
    **dict.fromkeys(("user.id", "did"), "u"),
    "user.email": "e",
    **dict.fromkeys(("user_agent.original", "User-Agent", "user_agent", "user-agent"), "a"),
    "plan": "p",
    "country": "c",
}
# The host of the history is a public one, and its people are nobody's tenants.
_LEFT_OUT = ("sentry.is_localhost", "tenant")
_OF_A_REPLAY = ("sentry.replay_id", "replayId")
_OF_A_PERSON = ("user", "user.id", "user.email", "did", "plan", "country")


@dataclass(frozen=True)
class Copy:
    """What one copy has of its own. `slower` multiplies times since its start, `scripts` bytes of scripts."""

    at: datetime
    release: str
    environment: str
    user_agent: str
    person: Mapping[str, str] | None
    slower: float = 1.0
    scripts: float = 1.0
    ids: dict[str, str] = field(default_factory=dict)


class Stencil:
    def __init__(
        self,
        item_type: str,
        headers: Mapping[str, Any],
        payload: Any,
        starts: float,
        *,
        has_replay: bool = False,
    ) -> None:
        """`starts`: seconds since 1970 from which the item's moments are counted."""
        payload = _without(payload, _LEFT_OUT if has_replay else (*_LEFT_OUT, *_OF_A_REPLAY))
        self._of_people = _pieces(item_type, headers, payload, starts)
        self._of_nobody = _pieces(item_type, headers, _without(payload, _OF_A_PERSON), starts)

    def line(self, copy: Copy, app_key: str, random: Random, logged_after: timedelta) -> bytes:
        pieces = self._of_nobody if copy.person is None else self._of_people
        began = copy.at.timestamp()
        filled = [
            piece if isinstance(piece, str) else _filled(*piece, copy, began, random) for piece in pieces
        ]
        text = "".join(filled).replace(APP_KEY, app_key, 1)
        return text.replace(
            "1970-01-01T00:00:00.000Z", _moment(began + logged_after.total_seconds()), 1
        ).encode()


Piece = str | tuple[str, str]


def _pieces(item_type: str, headers: Mapping[str, Any], payload: Any, starts: float) -> list[Piece]:
    marked = _marked(renamed(payload), "", starts, is_script=False)
    text = line_of(item_type, APP_KEY, _marked(headers, "", starts, is_script=False), marked, now=0).decode()
    pieces: list[Piece] = []
    end = 0
    for found in _MARK.finditer(text):
        pieces += [text[end : found.start()], (found[1] or found[3], found[2] or "")]
        end = found.end()
    return [*pieces, text[end:]]


def renamed(payload: Any) -> Any:
    """The hosts of the capture become those of a shop in public, and versions of its files its release's."""
    text = _HOST.sub(
        lambda m: f"https://{m[1] or 'shop'}.example" if "//" in m[0] else f"{m[1]}.example",
        json.dumps(payload),
    )
    return json.loads(_ASSETS.sub("assets/@@V@@/", text))


def _without(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, names) for key, inner in value.items() if key not in names}
    return [_without(inner, names) for inner in value] if isinstance(value, list) else value


def _marked(value: Any, key: str, starts: float, *, is_script: bool) -> Any:
    if isinstance(value, Mapping):
        if key == "user":
            return {"id": "@@u@@", "email": "@@e@@", "ip_address": "@@h@@"}
        script = is_script or _is_script(value)
        names = {name: key if name == "value" else name for name in value}
        return {name: _marked(inner, names[name], starts, is_script=script) for name, inner in value.items()}
    if isinstance(value, list):
        return [_marked(inner, key, starts, is_script=is_script) for inner in value]
    return _mark(value, key, starts, is_script)


def _is_script(value: Mapping[str, Any]) -> bool:
    operation = value.get("attributes", {}) if isinstance(value.get("attributes"), dict) else {}
    return bool(operation.get("sentry.op", {}).get("value") == "resource.script")


def _mark(value: Any, key: str, starts: float, is_script: bool) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        if int(value) in _SECONDS:
            return f"@@t{value - starts:.6f}@@"
        if _MILLISECONDS.fullmatch(key):
            return f"@@d{value}@@"
        return f"@@b{value}@@" if is_script and _BYTES.fullmatch(key) else value
    if key in _NAMED:
        return f"@@{_NAMED[key]}@@"
    if _MOMENT.fullmatch(value):
        return f"@@m{datetime.fromisoformat(value).timestamp() - starts:.6f}@@"
    return f"@@i{value}@@" if _ID.fullmatch(value) else value


def _filled(kind: str, told: str, copy: Copy, began: float, random: Random) -> str:
    return _FILL[kind](told, copy, began, random)


def _id(told: str, copy: Copy, began: float, random: Random) -> str:
    known = copy.ids.get(told)
    if known is None:
        known = copy.ids[told] = f'"{random.getrandbits(4 * len(told)):0{len(told)}x}"'
    return known


def _of_person(name: str) -> Callable[[str, Copy, float, Random], str]:
    return lambda told, copy, began, random: json.dumps((copy.person or {}).get(name, ""))


_FILL: dict[str, Callable[[str, Copy, float, Random], str]] = {
    "t": lambda told, copy, began, random: f"{began + float(told) * copy.slower:.4f}",
    "m": lambda told, copy, began, random: f'"{_moment(began + float(told) * copy.slower)}"',
    "d": lambda told, copy, began, random: f"{float(told) * copy.slower:.1f}",
    "b": lambda told, copy, began, random: f"{float(told) * copy.scripts:.0f}",
    "i": _id,
    "r": lambda told, copy, began, random: f'"{copy.release}"',
    "v": lambda told, copy, began, random: f'"{copy.environment}"',
    "a": lambda told, copy, began, random: f'"{copy.user_agent}"',
    "V": lambda told, copy, began, random: copy.release.rpartition("@")[2],
    "u": _of_person("id"),
    "e": _of_person("email"),
    "p": _of_person("plan"),
    "c": _of_person("country"),
    "h": _of_person("ip_address"),
}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
