"""What a link shows where values are left out: the keys of one table, each with the form of its value."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dashboards.event.contexts import FRAMEWORKS, MEMORY_NAMES

TEXT, NAME, WORD, NUMBER, NUMBERS, QUERY = "text", "name", "word", "number", "numbers", "query"
# Neither sentences nor "Ada's iPhone".
FORMS = {
    NAME: re.compile(r"[\w\s.,:;/@+*()<>\[\]=?\"#&|!$~^-]{1,200}"),
    WORD: re.compile(r"[\w.:/@+^-]{1,200}"),
    NUMBER: re.compile(r"\d{1,20}(?:\.\d{1,20})?"),
}


def _each(keys: str, form: str) -> dict[str, str]:
    return dict.fromkeys(keys.split(), form)


_STACKS = {"stacktrace": "stack trace", "raw_stacktrace": "stack trace"}
_SYSTEM = _each("name version build kernel_version", NAME)
# By section; the form of a key is a form of texts, or the section that its value is one or several of.
ALLOWED: Mapping[str, Mapping[str, str]] = {
    "event": _each("event_id timestamp platform level", WORD)
    | _each("environment release", NAME)
    | _each("message transaction logger", TEXT)
    | _STACKS
    | {
        "logentry": "log entry",
        "exception": "exception",
        "threads": "thread",
        "breadcrumbs": "breadcrumb",
        "request": "request",
        "contexts": "contexts",
        "tags": "tags",
        "sdk": "sdk",
        "modules": "modules",
    },
    "log entry": _each("formatted message", TEXT),
    "exception": _each("type value module", TEXT) | {"mechanism": "mechanism"} | _STACKS,
    "mechanism": _each("type source", WORD)
    | _each("handled synthetic exception_id parent_id is_exception_group", NUMBER)
    | {"data": "mechanism data", "meta": "mechanism meta"},
    "mechanism data": _each("function handler target", NAME),
    "mechanism meta": dict.fromkeys(("signal", "errno", "mach_exception"), "signal"),
    "signal": _each("name code_name", WORD) | _each("number code subcode exception", NUMBER),
    "thread": _each("id state", WORD) | _each("name", NAME) | _each("crashed current main", NUMBER) | _STACKS,
    "stack trace": {"frames": "frame", "frames_omitted": NUMBERS},
    "frame": _each("function raw_function symbol filename abs_path module package", TEXT)
    | _each("lineno colno in_app", NUMBER)
    | _each("instruction_addr", WORD),
    "breadcrumb": _each("timestamp type level", WORD)
    | _each("category", NAME)
    | _each("message", TEXT)
    | {"data": "breadcrumb data"},
    "breadcrumb data": _each("url from to http.url", TEXT)
    | _each("method http.method http.request.method", WORD)
    | _each("status_code http.response.status_code", NUMBER)
    | _each("reason", NAME),
    "request": {"url": TEXT, "query_string": QUERY, "method": WORD, "headers": "header"},
    "header": _each("host origin referer user-agent", TEXT)
    | _each("connection content-encoding content-length dnt te transfer-encoding", WORD)
    | _each("accept accept-charset accept-encoding accept-language cache-control content-type", NAME)
    | _each("pragma range upgrade-insecure-requests x-requested-with", NAME)
    | _each("sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform", NAME)
    | _each("sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user", WORD),
    "contexts": {
        "app": "context app",
        "browser": "context software",
        "client_os": "context software",
        "cloud_resource": "context cloud_resource",
        "culture": "context culture",
        "device": "context device",
        "framework": "context software",
        "gpu": "context gpu",
        "memory": "context memory",
        "memory_info": "context memory",
        "node_system_error": "context node_system_error",
        "os": "context software",
        "response": "context response",
        "runtime": "context software",
        "trace": "context trace",
    },
    "context software": _SYSTEM,
    "context app": _each("app_identifier app_version app_build build_type", NAME)
    | _each("app_start_time", WORD)
    | _each("app_memory free_memory in_foreground", NUMBER),
    "context cloud_resource": _each("cloud.provider cloud.platform cloud.region", WORD),
    "context culture": _each("locale timezone calendar", WORD) | _each("is_24_hour_format", NUMBER),
    "context device": _each("arch brand cpu_description family manufacturer model model_id", NAME)
    | _each("device_type orientation screen_resolution", WORD)
    | _each("battery_level charging low_memory online processor_count processor_frequency simulator", NUMBER)
    | _each("free_memory free_storage memory_size storage_size usable_memory", NUMBER),
    "context gpu": _each("name vendor_name version api_type", NAME) | _each("memory_size", NUMBER),
    "context memory": dict.fromkeys(MEMORY_NAMES, NUMBER),
    "context node_system_error": _each("code syscall", WORD) | _each("errno", NUMBER),
    "context response": _each("status_code body_size", NUMBER),
    "context trace": _each("trace_id span_id parent_span_id op status", WORD),
    "tags": _each("browser browser.name device device.family os os.name runtime runtime.name", NAME)
    | _each("handled mechanism", WORD),
    "sdk": _each("name version", WORD),
    # Frameworks, which the page names; other packages are the application's own business.
    "modules": dict.fromkeys(FRAMEWORKS, WORD),
    "page of a replay": {"href": TEXT, "width": NUMBER, "height": NUMBER},
    "entry of a replay": _each("type category op", WORD)
    | _each("timestamp startTimestamp endTimestamp", NUMBER)
    | _each("message description", TEXT)
    | {"data": "entry data of a replay"},
    "entry data of a replay": {"from": TEXT, "to": TEXT, "clickCount": NUMBER, "endReason": WORD},
}
_NOTHING = object()


def allowed(section: str, value: Any) -> Any:
    """What of an object is in the table, in the same order."""
    return _keyed(ALLOWED[section], value.items()) if isinstance(value, dict) else {}


def _section(keys: Mapping[str, str], value: Any) -> Any:
    """Of one object, of pairs or of a list, which the protocol also sends as {"values": [...]}."""
    if isinstance(value, dict) and isinstance(value.get("values"), list):
        value = value["values"]
    if isinstance(value, dict):
        return _keyed(keys, value.items())
    if not isinstance(value, list):
        return _NOTHING
    named = _keyed(keys, (item for item in value if isinstance(item, list) and len(item) == 2))
    return [*map(list, named.items())] or [
        _keyed(keys, item.items()) for item in value if isinstance(item, dict)
    ]


def _keyed(keys: Mapping[str, str], pairs: Iterable[Any]) -> dict[str, Any]:
    found = {}
    for name, item in pairs:
        form = keys.get(name) or keys.get(name.lower()) if isinstance(name, str) else None
        if form is not None and (shown := _shown(form, item)) is not _NOTHING:
            found[name] = shown
    return found


def _shown(form: str, value: Any) -> Any:
    if form in ALLOWED:
        return _section(ALLOWED[form], value)
    if form == QUERY and not isinstance(value, str):
        return _query(value)
    if form == NUMBERS:
        return [one for one in value if type(one) is int] if isinstance(value, list) else _NOTHING
    if isinstance(value, int | float):
        return value
    if isinstance(value, str) and (form not in FORMS or FORMS[form].fullmatch(value)):
        return value
    return _NOTHING


def _query(value: Any) -> Any:
    """Parameters sent as an object or as pairs."""
    pairs = value.items() if isinstance(value, dict) else value if isinstance(value, list) else ()
    two = (pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2)
    return [[*pair] for pair in two if all(isinstance(one, str | int | float) for one in pair)]
