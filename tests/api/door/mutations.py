"""Good requests made bad by chance: bytes, lengths, values, encodings, headers and addresses."""

import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from backports import zstd
from errata_wire.otlp.response import JSON, PROTOBUF

from tests.api.door.valid_bodies import Valid, valid_bodies

MIB = 1 << 20
# A bomb costs as much as hundreds of others.
BOMB_ONE_IN = 2_000
_RAW = "@@raw@@"


@dataclass(frozen=True, slots=True)
class Sent:
    """`leaves_after`: of the body, bytes after which the client is gone. `changes`: what was done to it."""

    kind: str
    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    leaves_after: int | None
    changes: tuple[str, ...]

    def __str__(self) -> str:
        headers = ", ".join(f"{name}: {value[:80]}" for name, value in self.headers)
        address = f"{self.method} {self.path[:200]}?{self.query[:200]} ({headers})"
        return f"{address} after {', '.join(self.changes)}: {len(self.body)} bytes {self.body[:300]!r}"


def prepare() -> None:
    """Makes what is made once: bombs take seconds, in which nothing else would be sent or answered."""
    valid_bodies()
    _bombs()


def mutated(chance: random.Random, project_id: int, key: str) -> Sent:
    """A request, mostly with the key of a project."""
    if chance.randrange(BOMB_ONE_IN) == 0:
        return _bomb(chance, project_id, key)
    known = valid_bodies()
    valid = chance.choice(known[chance.choice(sorted(known))])
    body, changes = valid.body, list[str]()
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 3))):
        name, change = chance.choice(_BODY_CHANGES)
        changed = change(chance, body, valid)
        if changed is not None:
            body = changed
            changes.append(name)
    sent = _request(valid, project_id, key, body, tuple(changes))
    for name, each, one_in in _REQUEST_CHANGES:
        if chance.randrange(one_in) == 0:
            sent = replace(each(chance, sent), changes=(*sent.changes, name))
    return sent


def _request(valid: Valid, project_id: int, key: str, body: bytes, changes: tuple[str, ...]) -> Sent:
    headers = (
        ("host", "errata.example"),
        ("content-type", valid.content_type),
        ("x-sentry-auth", f"Sentry sentry_version=7, sentry_client=sentry.python/2.75.0, sentry_key={key}"),
    )
    path = valid.path.replace("{project}", str(project_id))
    return Sent(valid.kind, "POST", path, "", headers, body, None, changes)


# Of bytes.


def _flipped(chance: random.Random, body: bytes, _: Valid) -> bytes:
    changed = bytearray(body)
    for _number in range(chance.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(chance: random.Random, body: bytes, _: Valid) -> bytes:
    end = chance.randrange(len(body) + 1)
    return body[:end] if chance.random() < 0.8 else body[end:]


def _inserted(chance: random.Random, body: bytes, _: Valid) -> bytes:
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.choice(_BYTES) * chance.choice((1, 1, 3, 1000)) + body[at:]


def _repeated(chance: random.Random, body: bytes, _: Valid) -> bytes:
    at, end = sorted((chance.randrange(len(body) + 1), chance.randrange(len(body) + 1)))
    return body[:end] + body[at:end] * chance.choice((1, 2, 5)) + body[end:]


def _spliced(chance: random.Random, body: bytes, _: Valid) -> bytes:
    known = valid_bodies()
    other = chance.choice(known[chance.choice(sorted(known))]).body
    return body[: chance.randrange(len(body) + 1)] + other[chance.randrange(len(other)) :]


_BYTES = (
    *(b"\0", b"\n", b"\r\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"\\", b"{", b"]", b"\x80"),
    *("\u202e\u2028".encode(), b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b'{"length":99999999}\n'),
)


# Of values.


def _values_changed(chance: random.Random, body: bytes, valid: Valid) -> bytes | None:
    """Another value at a place of one of the objects in it."""
    if valid.content_type == PROTOBUF:
        return None
    lines = body.split(b"\n") if valid.kind == "envelope" else [body]
    at = chance.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return None
    lines[at] = _written(chance, _changed(chance, value))
    if valid.kind == "envelope" and at >= 2 and chance.random() < 0.8:
        _set_length(lines, at)
    return b"\n".join(lines)


def _set_length(lines: list[bytes], at: int) -> None:
    try:
        header = json.loads(lines[at - 1])
    except (ValueError, RecursionError):
        return
    if isinstance(header, dict) and "length" in header:
        lines[at - 1] = json.dumps({**header, "length": len(lines[at])}).encode()


def _changed(chance: random.Random, value: Any) -> Any:
    """Deeper with each turn of a coin that isn't the last."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        what = chance.random()
        if what < 0.08:
            return {one: inner for one, inner in value.items() if one != name}
        if what < 0.16:
            return {**value, chance.choice(_NAMES): chance.choice((_RAW, value[name]))}
        return {**value, name: _changed(chance, value[name])}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(chance, value[at]), *value[at + 1 :]]
    return _RAW


def _written(chance: random.Random, value: Any) -> bytes:
    return json.dumps(value).replace(f'"{_RAW}"', _raw(chance)).encode("utf-8", "surrogatepass")


def _raw(chance: random.Random) -> str:
    if chance.random() < 0.06:
        return chance.choice(_LARGE)()
    return chance.choice(_SMALL)


_NAMES = (
    *("", "\0", "__proto__", "length", "type", "event_id", "timestamp", "exception", "stacktrace", "values"),
    *("frames", "tags", "user", "contexts", "items", "attributes", "debug_meta", "measurements", "spans"),
    *("dsn", "trace", "sdk", "request", "logentry", "platform", "fingerprint", "_meta", "x" * 300, "\ud800"),
)
_SMALL = (
    *("null", "true", "false", "0", "-1", "1", "-0.0", "1e999", "-1e999", "1e308", "0.1e-400", "NaN"),
    *("Infinity", "-Infinity", str(2**31), str(2**53 + 1), str(2**63), str(-(2**63) - 1), str(2**64)),
    *("1" + "0" * 400, "9" * 4_301, "-62135596801", "253402300800", "1e15", "1.7976931348623157e308"),
    *('""', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '" "', '"NaN"', '"1e999"', '"-1"', '"\\n\\r\\t"'),
    *('"2026-13-45T99:99:99Z"', '"9999-12-31T23:59:59.999999+14:00"', '"0001-01-01T00:00:00-14:00"'),
    *('"00000000000000000000000000000000"', '"not-a-uuid"', '"../../etc/passwd"', '"\\u202e\\u2028"'),
    *("[]", "{}", "[null]", "[[]]", "[{}]", '{"values": null}', '{"values": {}}', '{"frames": [null]}'),
    *('{"a": 1, "a": 2}', '{"": ""}', '[1, "a", null, {}, []]', '{"value": null, "type": "integer"}'),
    *('"' + "x" * 5_000 + '"', '"' + "\u00e9" * 3_000 + '"', '{"type": "interval", "value": 1e300}'),
    *('{"type": "crontab", "value": "*/0 * * * *"}', '{"type": "crontab", "value": "0 0 30 2 *"}'),
    *(
        '{"type": "crontab", "value": "0-59/1,1,1,1 * * * *"}',
        '{"type": "interval", "value": 10, "unit": []}',
    ),
)


def _deep(opened: str, closed: str, depth: int, *, is_closed: bool = True) -> str:
    return opened * depth + "1" + (closed * depth if is_closed else "")


_LARGE: tuple[Callable[[], str], ...] = (
    *(lambda depth=depth: _deep("[", "]", depth) for depth in (60, 130, 600, 5_000, 100_000)),
    *(lambda depth=depth: _deep('{"a":', "}", depth) for depth in (60, 130, 600, 5_000, 100_000)),
    lambda: _deep('[{"values":', "}]", 300),
    lambda: _deep("[", "]", 50_000, is_closed=False),
    lambda: "9" * 100_000,
    lambda: '"' + "x" * 300_000 + '"',
    lambda: '"' + "\\u0041" * 30_000 + '"',
    lambda: '"' + "password=hunter2Zs " * 2_000 + '"',
    lambda: "[" + ",".join("0" * 20_000) + "]",
    lambda: json.dumps({f"name {number}": number for number in range(4_000)}),
    lambda: json.dumps([{"function": "f", "lineno": number} for number in range(3_000)]),
    lambda: json.dumps({"values": [{"type": "E", "value": "v"}] * 2_000}),
)


# Of what is said about the length.


def _length_lied(chance: random.Random, body: bytes, valid: Valid) -> bytes | None:
    if valid.content_type == PROTOBUF:
        return _varint_lied(chance, body)
    parts = body.split(b'"length": ')
    if len(parts) < 2:
        return None
    at = chance.randrange(1, len(parts))
    _, rest = _number_and_rest(parts[at])
    said = (chance.choice(_SMALL) if chance.random() < 0.6 else str(chance.randrange(len(body) * 2))).encode(
        "utf-8", "replace"
    )
    parts[at] = said + rest
    return b'"length": '.join(parts)


def _number_and_rest(text: bytes) -> tuple[bytes, bytes]:
    end = 0
    while end < len(text) and text[end : end + 1].isdigit():
        end += 1
    return text[:end], text[end:]


def _varint_lied(chance: random.Random, body: bytes) -> bytes:
    at = chance.randrange(len(body) + 1)
    said = chance.choice((b"\x00", b"\x7f", b"\xff\xff\xff\xff\x07", b"\xff" * 9 + b"\x01", b"\xff" * 11))
    return body[:at] + said + body[at + 1 :]


def _many_items(chance: random.Random, body: bytes, valid: Valid) -> bytes | None:
    """The items of an envelope once more, a few times."""
    if valid.kind != "envelope":
        return None
    head, _, items = body.partition(b"\n")
    return b"\n".join([head, *[items] * chance.choice((2, 3, 10))])


def _nested_messages(chance: random.Random, body: bytes, valid: Valid) -> bytes | None:
    """A value of OpenTelemetry in a value, as deep as chance will have it."""
    if not valid.kind.startswith(("traces", "logs")):
        return None
    depth = chance.choice((20, 90, 101, 300, 3_000))
    if valid.content_type == JSON:
        value = _deep('{"arrayValue": {"values": [', "]}}", depth).replace("1", '{"intValue": "1"}', 1)
        changed = body.replace(b'{"stringValue"', value.encode() + b', "x": {"stringValue"', 1)
        return changed.replace(b'"x": {"stringValue"', b'"x": {"stringValue"', 1)
    inner = b"\x18\x01"
    for _ in range(min(depth, 300)):
        inner = _field(5, _field(1, inner))
    attribute = _field(1, b"\n\x01a" + _field(2, inner))
    return body + _field(1, _field(1, attribute))


def _field(number: int, content: bytes) -> bytes:
    """A field of a message, with its length before it."""
    length, said = len(content), bytearray()
    while True:
        said.append((length & 127) | (128 if length > 127 else 0))
        length >>= 7
        if not length:
            return bytes([number << 3 | 2]) + bytes(said) + content


Change = Callable[[random.Random, bytes, Valid], bytes | None]
_BODY_CHANGES: tuple[tuple[str, Change], ...] = (
    ("bytes flipped", _flipped),
    ("cut", _cut),
    ("bytes inserted", _inserted),
    ("a part repeated", _repeated),
    ("two spliced", _spliced),
    ("a value changed", _values_changed),
    ("a value changed", _values_changed),
    ("a value changed", _values_changed),
    ("a value changed", _values_changed),
    ("a length lied about", _length_lied),
    ("items repeated", _many_items),
    ("messages nested", _nested_messages),
)


# Of the request around the body.


def _compressed(chance: random.Random, sent: Sent) -> Sent:
    name = chance.choice(tuple(_COMPRESSED))
    body = _COMPRESSED[name](sent.body)
    what = chance.random()
    if what < 0.15:
        body = body[: chance.randrange(len(body) + 1)]
    elif what < 0.3 and body:
        at = chance.randrange(len(body))
        body = body[:at] + bytes([body[at] ^ 1 << chance.randrange(8)]) + body[at + 1 :]
    elif what < 0.35:
        body += b"junk"
    said = name if what < 0.85 else chance.choice(_ENCODINGS)
    return replace(sent, body=body, headers=(*sent.headers, ("content-encoding", said)))


def _encoding_lied(chance: random.Random, sent: Sent) -> Sent:
    return replace(sent, headers=(*sent.headers, ("content-encoding", chance.choice(_ENCODINGS))))


_COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 1),
    "deflate": lambda body: zlib.compress(body, 1),
    "zstd": lambda body: zstd.compress(body, 1),
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body, 1), 1),
    "zstd, deflate": lambda body: zlib.compress(zstd.compress(body, 1), 1),
}
_ENCODINGS = (
    *("gzip", "deflate", "br", "zstd", "x-gzip", "identity", "", ",", "GZIP", "gzip, gzip, gzip", "compress"),
    *("gzip\u00e9", "zstd,zstd,br,deflate", "aws-chunked", "gzip;q=0", ",".join(["gzip"] * 500)),
)


def _headers_changed(chance: random.Random, sent: Sent) -> Sent:
    name, values = chance.choice(tuple(_HEADERS.items()))
    value = chance.choice(values)
    kept = tuple(one for one in sent.headers if one[0] != name or chance.random() < 0.3)
    return replace(sent, headers=(*kept, (name, value)))


_HEADERS: dict[str, tuple[str, ...]] = {
    "content-type": (
        *(
            "",
            "text/plain",
            "application/json; charset=utf-7",
            "multipart/form-data; boundary=x",
            "\xff/\xfe",
        ),
        *(PROTOBUF, JSON, "application/x-protobuf;;;", "application/x-www-form-urlencoded", "a" * 5_000),
    ),
    "content-length": ("0", "-1", "99999999999", "abc", "1e3", "\xb2", ""),
    "x-sentry-auth": (
        *(
            "",
            "Sentry",
            "Sentry sentry_key=",
            "sentry_key=x",
            "Sentry sentry_key=\xff",
            "Sentry " + "a=b," * 999,
        ),
        *("Sentry sentry_key=errata_public_" + "x" * 32, "Bearer x", ",,,=,=", "Sentry =,sentry_key"),
    ),
    "authorization": (
        "Bearer",
        "Bearer \xff",
        "Basic Og==",
        "DSN x",
        "Bearer errata_app_x",
        "Sentry sentry_key=a",
    ),
    "origin": (
        "null",
        "https://shop.example",
        "javascript:1",
        "http://[::1",
        "\xff",
        "https://a:99999999",
        "",
    ),
    "x-forwarded-for": ("1.2.3.4, x", "::ffff:1.2.3.4", "999.1.1.1", "\xff", "," * 500),
    "user-agent": ("\x01", "a" * 9_000, "sentry.java/\xe9"),
    "transfer-encoding": ("chunked", "gzip, chunked", "x"),
    "expect": ("100-continue",),
    "host": ("", "a b", "\xff", "[::1", "x:99999999"),
    "baggage": ("sentry-trace_id=\xff," * 100,),
}


def _query_changed(chance: random.Random, sent: Sent) -> Sent:
    return replace(sent, query=chance.choice(_QUERIES))


_QUERIES = (
    *(
        "sentry_key=",
        "sentry_key=a&sentry_key=b",
        "sentry_version=99",
        "%",
        "%ff=%fe",
        "a=%00",
        "&&&==",
        "\xff",
    ),
    *(
        "status=ok",
        "status=%ff",
        "status=in_progress&duration=1e999",
        "duration=NaN&status=ok",
        "duration=-1",
    ),
    *("status=ok&duration=" + "9" * 5_000, "status=error&check_in_id=" + "0" * 32, "check_in_id=x&status=ok"),
    *("environment=" + "e" * 9_000 + "&status=ok", "status=ok&monitor_config=x", "a=1&" * 3_000),
)


def _path_changed(chance: random.Random, sent: Sent) -> Sent:
    return replace(sent, path=chance.choice(_PATHS))


_PATHS = (
    *("/api/0/envelope/", "/api/-1/envelope/", "/api/99999999999999999999/envelope/", "/api/1/envelope//"),
    *(
        "/api/\u0661/envelope/",
        "/api/1/store",
        "/api/999999999999999999/store/",
        "/api//envelope/",
        "/api/store/",
    ),
    *(
        "/api/18446744073709551616/cron/a",
        "/api/1/cron/",
        "/api/1/cron/" + "a" * 3_000,
        "/api/1/cron/\0/\xff",
    ),
    *("/api/store/", "/api/1/cron/\0/\xff"),
    *("/api/1/cron/a/errata_public_x", "/api/1/cron/%2e%2e/x/", "/v1/traces/", "/v1/metrics", "/v1/logs\n"),
    *("/api/9223372036854775808/integration/otlp/v1/logs", "/api/1/integration/otlp/v1/metrics/"),
)


def _method_changed(chance: random.Random, sent: Sent) -> Sent:
    methods = ("GET", "OPTIONS", "PUT", "HEAD", "DELETE", "PATCH", "TRACE", "post", "\u00fc")
    return replace(sent, method=chance.choice(methods))


def _left(chance: random.Random, sent: Sent) -> Sent:
    return replace(sent, leaves_after=chance.randrange(len(sent.body) + 1))


_REQUEST_CHANGES: tuple[tuple[str, Callable[[random.Random, Sent], Sent], int], ...] = (
    ("compressed", _compressed, 5),
    ("an encoding lied about", _encoding_lied, 15),
    ("a header changed", _headers_changed, 12),
    ("the query changed", _query_changed, 15),
    ("the path changed", _path_changed, 40),
    ("the method changed", _method_changed, 60),
    ("the client left", _left, 40),
)


# Small to send, and much to inflate or to read.


def _bomb(chance: random.Random, project_id: int, key: str) -> Sent:
    name, encoding, body = chance.choice(_bombs())
    known = valid_bodies()
    kinds = [kind for kind in sorted(known) if kind.startswith(name.partition(":")[0]) or ":" not in name]
    valid = chance.choice(known[chance.choice(kinds)])
    sent = _request(valid, project_id, key, body, (f"a bomb: {name}",))
    return replace(sent, headers=(*sent.headers, ("content-encoding", encoding)))


def _row_of_calls(count: int) -> bytes:
    """Each span within the next one."""
    spans = (
        _field(1, bytes(15) + b"t") + _field(2, _span_id(number)) + _field(4, _span_id(number + 1))
        for number in range(1, count + 1)
    )
    return _field(1, _field(2, b"".join(_field(2, span) for span in spans)))


def _span_id(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _json_of_attributes(count: int) -> bytes:
    attributes = b",".join([b'{"key":"a","value":{"stringValue":"b"}}'] * count)
    return b'{"resourceLogs":[{"resource":{"attributes":[' + attributes + b"]}}]}"


@cache
def _bombs() -> list[tuple[str, str, bytes]]:
    return list(_made_bombs())


def _made_bombs() -> Iterator[tuple[str, str, bytes]]:
    zeros = bytes(64 * MIB)
    yield "zeros", "gzip", gzip.compress(zeros, 1)
    yield "zeros", "zstd", zstd.compress(zeros, 1)
    yield "zeros twice", "gzip, gzip", gzip.compress(gzip.compress(bytes(512 * MIB), 1), 9)
    yield "frames", "zstd", zstd.compress(b"") * 100_000
    yield "members", "gzip", gzip.compress(b"") * 100_000
    most = 15 * MIB
    for name, inflated in (
        ("newlines", b"{}\n" + b"\n" * most),
        ("spaces", b"{}\n" + b" " * most),
        ("items without a type", b"{}\n" * (most // 3)),
        ("lists in lists", b"[" * (3 * MIB)),
        ("objects in objects", b'{"a":' * (most // 6) + b"1" + b"}" * (most // 6)),
        ("a long number", b"9" * (3 * MIB)),
        ("a large event", b'{}\n{"type":"event"}\n{"extra":{"a":"' + b"x" * (3 * MIB) + b'"}}'),
        ("an event too large", b'{}\n{"type":"event"}\n{"extra":{"a":"' + b"x" * (9 * MIB) + b'"}}'),
        ("escapes", b'{}\n{"type":"event"}\n{"extra":{"a":"' + b"\\u0041" * (MIB // 2) + b'"}}'),
        ("an event of a list", b'{}\n{"type":"event"}\n{"extra":[' + b"0," * MIB + b"0]}"),
        ("empty items", b"{}\n" + b'{"type":"client_report"}\n{}\n' * 9_000),
        ("too many items", b"{}\n" + b'{"type":"client_report"}\n{}\n' * 20_000),
        # Of the kinds of requests that their names begin with.
        ("traces as x-protobuf: empty", b"\x0a\x02\x12\x00" * (5 * MIB)),
        ("traces as x-protobuf: scopes", _field(1, b"\x12\x00" * (10 * MIB))),
        ("traces as x-protobuf: spans", _field(1, _field(2, b"\x12\x00" * (10 * MIB)))),
        ("traces as x-protobuf: a long row of calls", _row_of_calls(300_000)),
        ("traces as x-protobuf: a row of calls", _row_of_calls(40_000)),
        ("logs as x-protobuf: attributes", _field(1, _field(1, b"\x0a\x00" * (10 * MIB)))),
        ("traces as json: empty", b'{"resourceSpans":[' + b"{}," * (6 * MIB) + b"{}]}"),
        ("logs as json: attributes", _json_of_attributes(300_000)),
        ("logs as json: fewer attributes", _json_of_attributes(99_000)),
        ("suspects", b'{}\n{"type":"event"}\n{"extra":["' + b'password=hunter2Zs","' * 50_000 + b'"]}'),
    ):
        yield name, "gzip", gzip.compress(inflated, 1)
