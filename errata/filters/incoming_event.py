"""What filters read of an item, whatever its type: texts cut to lengths that patterns may be tried on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from errata.client_software import header

LONGEST_TEXT, LONGEST_MESSAGE, LONGEST_ADDRESS, LONGEST_IP = 250, 1000, 2000, 64
EXCEPTIONS = 10
# Of containers of spans, which name their segments in any order.
MOST_SPANS = 1000
# Frames that name no script.
NAMELESS = frozenset({"", "<anonymous>", "[native code]", "native"})


@dataclass(frozen=True, slots=True)
class IncomingEvent:
    """Fields that an item lacks are empty. `messages`: the message, and each exception with and without its
    type. `scripts`: the innermost file of each exception. `url`: of the page or the request."""

    messages: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    user_agent: str = ""
    url: str = ""
    ip_address: str = ""
    release: str = ""
    transaction: str = ""


def incoming_events(
    item_type: str, payload: Mapping[str, Any], headers: Mapping[str, Any]
) -> frozenset[IncomingEvent]:
    """One event; of a container of spans one for each segment in it; none of other types. Never raises,
    whatever the payload's shape."""
    if item_type == "event":
        return frozenset({_of_payload(payload, _messages(payload), _scripts(payload))})
    release = _text(_mapping(headers.get("trace")).get("release"))
    if item_type == "transaction":
        return frozenset({_of_payload(payload, release=release)})
    return frozenset(_of_spans(payload, release)) if item_type == "span" else frozenset()


def _of_payload(
    payload: Mapping[str, Any],
    messages: tuple[str, ...] = (),
    scripts: tuple[str, ...] = (),
    release: str = "",
) -> IncomingEvent:
    request = _mapping(payload.get("request"))
    headers = request.get("headers")
    address, host = _text(request.get("url"), LONGEST_ADDRESS), header(headers, "host")
    user = _mapping(payload.get("user")).get("ip_address")
    return IncomingEvent(
        messages,
        scripts,
        header(headers, "user-agent"),
        address or (f"//{host}" if host else ""),
        _text(user, LONGEST_IP) or _text(_mapping(request.get("env")).get("REMOTE_ADDR"), LONGEST_IP),
        _text(payload.get("release")) or release,
        _text(payload.get("transaction")),
    )


def _messages(payload: Mapping[str, Any]) -> tuple[str, ...]:
    entry = payload.get("logentry")
    said = _mapping(entry).get("formatted") or _mapping(entry).get("message") if entry else None
    found = [_text(said, LONGEST_MESSAGE) or _text(payload.get("message"), LONGEST_MESSAGE)]
    for exception in _exceptions(payload):
        name, value = _text(exception.get("type")), _text(exception.get("value"), LONGEST_MESSAGE)
        found += (f"{name}: {value}", value) if name and value else (name or value,)
    return tuple(text for text in found if text)


def _scripts(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(script for each in _exceptions(payload) if (script := _innermost_script(each)))


def _exceptions(payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sent = payload.get("exception")
    values = sent.get("values") if isinstance(sent, dict) else sent
    # Of a chain the last is the one that was raised.
    yield from map(_mapping, values[-EXCEPTIONS:] if isinstance(values, list) else ())


def _innermost_script(exception: Mapping[str, Any]) -> str:
    frames = _mapping(exception.get("stacktrace")).get("frames")
    for frame in reversed(frames) if isinstance(frames, list) else ():
        path = _text(_mapping(frame).get("abs_path") or _mapping(frame).get("filename"), LONGEST_ADDRESS)
        if path not in NAMELESS:
            return path
    return ""


def _of_spans(payload: Mapping[str, Any], release: str) -> Iterator[IncomingEvent]:
    sent = payload.get("items")
    if not isinstance(sent, list):
        data = _mapping(payload.get("data"))
        yield _of_attributes(data, release, "", _text(data.get("transaction")))
        return
    for span in map(_mapping, sent[:MOST_SPANS]):
        attributes = _mapping(span.get("attributes"))
        data = {name: _mapping(attribute).get("value") for name, attribute in attributes.items()}
        is_segment = span.get("is_segment") is True
        # Of a call inside a page it is the address that was called.
        address = _text(data.get("url.full"), LONGEST_ADDRESS) if is_segment else ""
        name = _text(span.get("name")) if is_segment else _text(data.get("sentry.segment.name"))
        yield _of_attributes(data, release, address, name)


def _of_attributes(data: Mapping[str, Any], release: str, address: str, name: str) -> IncomingEvent:
    return IncomingEvent(
        user_agent=_text(data.get("user_agent.original"), LONGEST_MESSAGE),
        url=address,
        ip_address=_text(data.get("user.ip_address"), LONGEST_IP),
        release=_text(data.get("sentry.release") or data.get("release")) or release,
        transaction=name,
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any, longest: int = LONGEST_TEXT) -> str:
    return value[:longest] if isinstance(value, str) else ""
