"""The request an error happened in."""

import json
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from dashboards.event.shapes import first_text, mapping, pairs, text
from dashboards.event.trees import Node, tree

MOST_PARAMETERS = 500


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    url: str
    headers: tuple[Node, ...]
    parameters: tuple[Node, ...]
    cookies: tuple[Node, ...]
    body: Node | None
    server_environment: tuple[Node, ...]


def request(payload: dict[str, object]) -> Request | None:
    raw = mapping(payload.get("request"))
    if not raw:
        return None
    url = text(raw.get("url"))
    return Request(
        method=first_text(raw.get("method")).upper(),
        url=url,
        headers=_named(raw.get("headers"), is_sorted=True),
        parameters=parameters(raw.get("query_string") or query_of(url)),
        cookies=_named(raw.get("cookies")),
        body=body(raw.get("data")),
        server_environment=_named(raw.get("env"), is_sorted=True),
    )


def parameters(value: object) -> tuple[Node, ...]:
    """Query parameters come as text, as pairs or as an object."""
    if isinstance(value, str):
        try:
            found = parse_qsl(value.removeprefix("?"), keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
        except ValueError:
            return (tree(value, "(not readable as parameters)"),)
        return tuple(tree(item, name) for name, item in found)
    return _named(value)


def body(value: object) -> Node | None:
    """JSON sent as text is shown as what it is."""
    if value is None or value == "" or value == {} or value == []:
        return None
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return tree(json.loads(value), "body")
        except (ValueError, RecursionError):
            pass
    return tree(value, "body")


def _named(value: object, is_sorted: bool = False) -> tuple[Node, ...]:
    found = pairs(value)[:MOST_PARAMETERS]
    if is_sorted:
        found.sort(key=lambda pair: pair[0].lower())
    if not found and isinstance(value, str) and value:
        return (tree(value, "all"),)
    return tuple(tree(item, name) for name, item in found)


def query_of(url: str) -> str:
    try:
        return urlsplit(url).query
    except ValueError:
        return ""
