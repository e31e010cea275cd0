"""The request of an event as a curl command, to send it again by hand."""

import json
import shlex
from urllib.parse import urlencode

from dashboards.event.request import query_of
from dashboards.event.shapes import first_text, mapping, pairs, text

# Curl writes these itself; `--compressed` stands for the encoding.
LEFT_OUT = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
FORM = "application/x-www-form-urlencoded"


def curl_command(payload: dict[str, object]) -> str:
    """Empty without an address. What was filtered stands in it as [FILTERED], to be filled in."""
    raw = mapping(payload.get("request"))
    url = text(raw.get("url"))
    if not url:
        return ""
    method = first_text(raw.get("method")).upper() or "GET"
    headers = [(name, text(value)) for name, value in pairs(raw.get("headers"))]
    body = _body(raw.get("data"), {name.lower(): value for name, value in headers})
    parts = [f"curl --compressed -X {shlex.quote(method)} --url {shlex.quote(_address(url, raw))}"]
    parts += [_header(name, value) for name, value in headers if name.lower() not in LEFT_OUT]
    if body:
        parts.append(f"--data-raw {shlex.quote(body)}")
    return " \\\n  ".join(parts)


def _header(name: str, value: str) -> str:
    """A line break would begin another header."""
    return "-H " + shlex.quote(" ".join(f"{name}: {value}".split()))


def _address(url: str, raw: dict[str, object]) -> str:
    query = raw.get("query_string")
    if query_of(url) or not query:
        return url
    words = query.removeprefix("?") if isinstance(query, str) else urlencode(pairs(query))
    return f"{url}?{words}" if words else url


def _body(data: object, headers: dict[str, str]) -> str:
    if data in (None, "", {}, []):
        return ""
    if isinstance(data, str):
        return data
    if headers.get("content-type", "").startswith(FORM):
        return urlencode([(name, text(value)) for name, value in pairs(data)])
    return json.dumps(data, ensure_ascii=False)
