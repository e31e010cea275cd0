"""An event as Sentry's API returns it, turned back into the payload that an SDK sent."""

from collections.abc import Mapping
from typing import Any

from errata.importing.frames import stacktrace
from errata.importing.values import mapping, objects, present, text

IMPORTED_TYPES = frozenset({"error", "default"})
# Tags that Sentry makes of the event's other fields.
DERIVED_TAGS = frozenset(
    {"environment", "release", "dist", "level", "server_name", "transaction", "logger", "user", "url", "site"}
    | {"browser", "browser.name", "os", "os.name", "os.rooted", "device", "device.family", "device.class"}
    | {"runtime", "runtime.name", "client_os", "client_os.name", "mechanism", "handled", "interface_type"}
    | {"gpu.name", "gpu.vendor", "trace", "trace.ctx", "trace.span", "replayId"}
)
TAGS_OF_FIELDS = ("environment", "server_name", "transaction", "logger", "level")


def payload_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """`told`: one of `GET …/events/?full=true`. Fields that Sentry doesn't return, such as an SDK's own
    fingerprint, are missing."""
    tags = _tags(told.get("tags"))
    release = mapping(told.get("release")).get("version") or tags.get("release")
    return present(
        {
            "event_id": told.get("eventID"),
            "timestamp": told.get("dateCreated"),
            "platform": told.get("platform"),
            "release": release,
            "dist": told.get("dist") or tags.get("dist"),
            **{name: tags.get(name) for name in TAGS_OF_FIELDS},
            "tags": {key: value for key, value in tags.items() if key not in DERIVED_TAGS},
            "user": present(mapping(told.get("user"))),
            "contexts": _contexts(told.get("contexts")),
            "extra": mapping(told.get("context")),
            "modules": mapping(told.get("packages")),
            "sdk": present(mapping(told.get("sdk"))),
            **_interfaces(told),
        }
    )


def _interfaces(told: Mapping[str, Any]) -> dict[str, Any]:
    """Its entries; of an event that has none, the message that it is searched by."""
    found: dict[str, Any] = {}
    for entry in objects(told.get("entries")):
        data, kind = mapping(entry.get("data")), entry.get("type")
        match kind:
            case "exception":
                found["exception"] = {"values": [_exception(each) for each in objects(data.get("values"))]}
            case "message":
                found["logentry"] = present(data)
            case "threads":
                found["threads"] = {"values": [_thread(each) for each in objects(data.get("values"))]}
            case "stacktrace":
                found["stacktrace"] = stacktrace(data)
            case "request":
                found["request"] = _request(data)
            case "breadcrumbs":
                found["breadcrumbs"] = {"values": [present(each) for each in objects(data.get("values"))]}
            case "debugmeta":
                found["debug_meta"] = {"images": objects(data.get("images"))}
    if not found.keys() & {"exception", "logentry", "threads", "stacktrace"}:
        found["message"] = text(told.get("message")) or text(told.get("title"))
    return found


def _exception(told: Mapping[str, Any]) -> dict[str, Any]:
    return present(
        {
            "type": told.get("type"),
            "value": told.get("value"),
            "module": told.get("module"),
            "thread_id": told.get("threadId"),
            "mechanism": present(mapping(told.get("mechanism"))),
            "stacktrace": stacktrace(told.get("stacktrace")),
        }
    )


def _thread(told: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: told.get(name) for name in ("id", "name", "crashed", "current", "state")}
    return present({**kept, "stacktrace": stacktrace(told.get("stacktrace"))})


def _request(told: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: told.get(name) for name in ("method", "url", "fragment", "data", "cookies", "env")}
    return present({**kept, "headers": told.get("headers"), "query_string": told.get("query")})


def _contexts(told: object) -> dict[str, Any]:
    return {name: present(value) for name, value in mapping(told).items() if isinstance(value, dict)}


def _tags(told: object) -> dict[str, str]:
    return {key: text(each.get("value")) for each in objects(told) if (key := text(each.get("key")))}
