"""Recorded events with other values in them, and with secrets at places drawn by chance."""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.captures import payloads
from tests.secret_catalog import Secret

RECORDED = (
    *("python_errors", "javascript_errors", "browser_error_events", "engine_errors", "native_crashes"),
    *("framework_errors", "python_transactions"),
)
# Larger ones say nothing that smaller ones don't, and take as long as ten of them.
MOST_BYTES = 12_000
PLANTED = 4
_LETTERS = "abcdefghijkmnpqrstuvwxyz"
_SIGNS = _LETTERS + _LETTERS.upper() + "23456789"
_SENTENCES = ("order {} of Ann was paid", "GET /cart/{} took long", "worker {} stopped", "retry {} of 5")
Event = dict[str, Any]


class Planted(NamedTuple):
    place: str
    secret: Secret


class Varied(NamedTuple):
    event: Event
    planted: list[Planted]


def varied_event(seed: int, number: int, secrets: Sequence[Secret]) -> Varied:
    """The same for the same seed and number."""
    chance = random.Random(f"{seed} {number}")
    event = copy.deepcopy(chance.choice(_recorded()))
    _vary(chance, event)
    planted = list[Planted]()
    for place in chance.sample(sorted(PLACES), PLANTED):
        secret = with_another_value(chance, chance.choice(secrets))
        PLACES[place](chance, event, secret)
        planted.append(Planted(place, secret))
    return Varied(event, planted)


def with_another_value(chance: random.Random, secret: Secret) -> Secret:
    """A secret that is known by its name has another value, and often its name is written in another way."""
    if not secret.name or len(secret.gone) != 1 or secret.gone[0] not in secret.text:
        return secret
    value = _value(chance)
    name = chance.choice(_WRITINGS)(secret.name) if chance.random() < 0.5 else secret.name
    text = secret.text.replace(secret.gone[0], value).replace(secret.name, name)
    return Secret(secret.id, text, (value,), name)


def _value(chance: random.Random) -> str:
    def drawn(alphabet: str, length: int) -> str:
        return "".join(chance.choice(alphabet) for _ in range(length))

    return chance.choice(
        (
            lambda: f"Zq{drawn(_SIGNS, chance.randrange(8, 24))}7x",
            lambda: drawn("0123456789abcdef", 32),
            lambda: f"{drawn(_LETTERS, 6)}-{drawn(_SIGNS, 12)}9Q",
            lambda: f"{drawn(_LETTERS, 7)}{chance.randrange(100, 999)}Zs",
        )
    )()


# How programs write one name.
_WRITINGS: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.lower,
    lambda name: name.replace("_", "-"),
    lambda name: name.replace("-", "_"),
    lambda name: re.sub("[_-]([a-z])", lambda found: found[1].upper(), name),
    lambda name: re.sub("([a-z])([A-Z])", r"\1_\2", name).lower(),
)


@cache
def _recorded() -> Sequence[Event]:
    found = []
    for name in RECORDED:
        for line in payloads(name):
            event = line.get("payload", line)
            if len(json.dumps(event)) <= MOST_BYTES:
                found.append({one: value for one, value in event.items() if one != "_meta"})
    return found


def _vary(chance: random.Random, event: Event) -> None:
    """What differs between events of one program: ids, times, users, numbers in texts."""
    event["event_id"] = f"{chance.getrandbits(128):032x}"
    event["timestamp"] = 1_796_000_000 + chance.randrange(86_400)
    event.setdefault("extra", {})
    event["tags"] = {"plan": chance.choice(("gold", "free")), "shard": str(chance.randrange(64))}
    event["user"] = {"id": str(chance.randrange(10**6)), "username": f"ann{chance.randrange(99)}"}
    event["logentry"] = {
        "formatted": chance.choice(_SENTENCES).format(chance.randrange(10**4)),
    }
    event["request"] = {
        "url": f"https://shop.example/cart/{chance.randrange(10**4)}",
        "method": chance.choice(("GET", "POST")),
        "headers": {
            "Accept": "*/*",
            "User-Agent": "Mozilla/5.0",
            "X-Request-Id": str(chance.randrange(10**9)),
        },
        "data": {"item": chance.randrange(99)},
    }
    crumbs = event.get("breadcrumbs")
    values = crumbs.get("values") if isinstance(crumbs, dict) else crumbs
    event["breadcrumbs"] = {"values": [one for one in values or [] if isinstance(one, dict)][:5]}
    event["breadcrumbs"]["values"].append({"category": "http", "message": "opened", "data": {"status": 200}})
    if not isinstance(event.get("contexts"), dict):
        event["contexts"] = {}
    event["contexts"]["shop"] = {"basket": str(chance.randrange(99)), "state": {"step": "pay"}}


# Places: each puts a secret into an event.

Place = Callable[[random.Random, Event, Secret], None]


def _entry(*path: str) -> Place:
    def plant(chance: random.Random, event: Event, secret: Secret) -> None:
        at: Any = event
        for step in path:
            at = at.setdefault(step, {})
        at[_name(chance, secret)] = _value_of(secret)

    return plant


def _name(chance: random.Random, secret: Secret) -> str:
    return secret.name or chance.choice(("note", "line", "detail", "output"))


def _value_of(secret: Secret) -> str:
    return secret.gone[0] if secret.name else secret.text


def _within(chance: random.Random, secret: Secret) -> str:
    """The text as it is, or amid others."""
    return chance.choice(("{}", "{}", "it failed: {}", "{} and went on", "[12:01] {} (shop.pay)")).format(
        secret.text
    )


def _json_in_text(chance: random.Random, secret: Secret) -> str:
    """An object written into a text, or the text of such an object in another one."""
    value: Any = {"id": 7, _name(chance, secret): _value_of(secret), "ok": True}
    for _ in range(chance.choice((0, 1, 2))):
        value = {"body": json.dumps(value), "status": 500}
    return chance.choice(("{}", "sent {}")).format(json.dumps(value))


def _query(chance: random.Random, secret: Secret) -> str:
    return f"page=2&{quote(_name(chance, secret))}={quote(_value_of(secret), safe='')}&sort=up"


def _in_extra_text(chance: random.Random, event: Event, secret: Secret) -> None:
    event["extra"]["output"] = _within(chance, secret)


def _in_extra_json(chance: random.Random, event: Event, secret: Secret) -> None:
    event["extra"]["body"] = _json_in_text(chance, secret)


def _in_extra_list(chance: random.Random, event: Event, secret: Secret) -> None:
    inner = [{"n": 1}, {_name(chance, secret): _value_of(secret)}]
    event["extra"]["jobs"] = {"done": [inner, "x"]} if chance.random() < 0.5 else [_within(chance, secret), 3]


def _in_message(chance: random.Random, event: Event, secret: Secret) -> None:
    event["logentry"]["formatted"] = _within(chance, secret)


def _in_params(chance: random.Random, event: Event, secret: Secret) -> None:
    event["logentry"] = {"message": "sent %s", "params": [secret.text], "formatted": f"sent {secret.text}"}


def _in_headers(chance: random.Random, event: Event, secret: Secret) -> None:
    headers = event["request"]["headers"]
    headers[_name(chance, secret)] = _value_of(secret)
    if chance.random() < 0.5:
        event["request"]["headers"] = [[name, value] for name, value in headers.items()]


def _in_cookies(chance: random.Random, event: Event, secret: Secret) -> None:
    if chance.random() < 0.5:
        event["request"]["cookies"] = {"lang": "de", _name(chance, secret): _value_of(secret)}
    else:
        event["request"]["cookies"] = f"lang=de; {_name(chance, secret)}={_value_of(secret)}"


def _in_cookie_header(chance: random.Random, event: Event, secret: Secret) -> None:
    event["request"]["headers"] = {"Cookie": f"lang=de; {_name(chance, secret)}={_value_of(secret)}; a=b"}


def _in_query(chance: random.Random, event: Event, secret: Secret) -> None:
    pairs = [["page", "2"], [_name(chance, secret), _value_of(secret)]]
    event["request"]["query_string"] = _query(chance, secret) if chance.random() < 0.6 else pairs


def _in_url(chance: random.Random, event: Event, secret: Secret) -> None:
    event["request"]["url"] = f"https://shop.example/pay?{_query(chance, secret)}"


def _in_data(chance: random.Random, event: Event, secret: Secret) -> None:
    event["request"]["data"] = chance.choice(
        (
            {"item": 3, _name(chance, secret): _value_of(secret)},
            {"form": {"fields": {_name(chance, secret): _value_of(secret)}}},
            _json_in_text(chance, secret),
            _query(chance, secret),
        )
    )


def _in_frame(chance: random.Random, event: Event, secret: Secret) -> None:
    values = (
        (event.get("exception") or {}).get("values") if isinstance(event.get("exception"), dict) else None
    )
    frames = [
        frame
        for value in values or []
        if isinstance(value, dict)
        for frame in (value.get("stacktrace") or {}).get("frames") or []
    ]
    if not frames:
        frames = [{"function": "pay", "filename": "shop/pay.py", "lineno": 7}]
        value = {"type": "ValueError", "value": "no", "stacktrace": {"frames": frames}}
        event["exception"] = {"values": [value]}
    own = chance.choice(frames[-5:]).setdefault("vars", {})
    if chance.random() < 0.6:
        own[_name(chance, secret)] = repr(_value_of(secret)) if chance.random() < 0.5 else _value_of(secret)
    else:
        own["request"] = f"<Request {secret.text}>"


def _in_exception(chance: random.Random, event: Event, secret: Secret) -> None:
    value = {"type": "ConnectionError", "value": _within(chance, secret)}
    exception = event.get("exception")
    if isinstance(exception, dict) and isinstance(exception.get("values"), list) and exception["values"]:
        exception["values"][-1] |= value
    else:
        event["exception"] = {"values": [value]}


def _in_crumb(chance: random.Random, event: Event, secret: Secret) -> None:
    crumb = event["breadcrumbs"]["values"][-1]
    what = chance.randrange(3)
    if what == 0:
        crumb["message"] = _within(chance, secret)
    elif what == 1:
        crumb["data"] = {"status": 200, _name(chance, secret): _value_of(secret)}
    else:
        crumb["data"] = {"url": f"/pay?{_query(chance, secret)}", "method": "GET"}


def _in_span(chance: random.Random, event: Event, secret: Secret) -> None:
    span = {
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "span_id": "b7ad6b7169203331",
        "start_timestamp": event["timestamp"] - 1,
        "timestamp": event["timestamp"],
        "op": "http.client",
        "description": "GET /pay",
        "data": {"http.status_code": 200},
    }
    what = chance.randrange(3)
    if what == 0:
        span["description"] = _within(chance, secret)
    elif what == 1:
        span["data"] = {_name(chance, secret): _value_of(secret)}
    else:
        span["data"] = {"url.query": _query(chance, secret)}
    event["spans"] = [*(event.get("spans") or [])[:3], span]


PLACES: dict[str, Place] = {
    "extra": _entry("extra"),
    "extra, deeper": _entry("extra", "state", "shop", "job"),
    "extra, a text": _in_extra_text,
    "extra, JSON in a text": _in_extra_json,
    "extra, a list": _in_extra_list,
    "contexts": _entry("contexts", "shop"),
    "contexts, deeper": _entry("contexts", "shop", "state"),
    "tags": _entry("tags"),
    "user": _entry("user"),
    "user data": _entry("user", "data"),
    "environment of the request": _entry("request", "env"),
    "headers": _in_headers,
    "cookies": _in_cookies,
    "header of cookies": _in_cookie_header,
    "query": _in_query,
    "URL": _in_url,
    "body of the request": _in_data,
    "message": _in_message,
    "parameters of the message": _in_params,
    "variables of a frame": _in_frame,
    "exception": _in_exception,
    "breadcrumb": _in_crumb,
    "span": _in_span,
}


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What holds nothing, by the names and places above it."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from leaves(inner, (*path, str(at)))
    else:
        yield path, value
