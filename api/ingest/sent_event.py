"""What an event's row and its variant are made of. The rest of a payload (local variables, breadcrumbs, lists
of modules) is most of it, and is stored as it came: no objects are made of it.

Each type stands beside whatever else JSON may have in its place, so that no shape is refused.
"""

from typing import Any, TypedDict

import msgspec

Scalar = str | int | float | bool | None
Other = dict[str, msgspec.Raw] | Scalar
"""In place of a list."""
NotRead = list[msgspec.Raw] | Scalar
"""In place of an object."""


class Mechanism(TypedDict, total=False):
    type: Any
    handled: Any
    synthetic: Any
    is_exception_group: Any


class Frame(TypedDict, total=False):
    module: Any
    function: Any
    filename: Any
    abs_path: Any
    in_app: Any
    context_line: Any


class Stacktrace(TypedDict, total=False):
    frames: list[Frame | NotRead] | Other


class Raised(TypedDict, total=False):
    """An exception, or a thread."""

    type: Any
    value: Any
    module: Any
    mechanism: Mechanism | NotRead
    stacktrace: Stacktrace | NotRead
    crashed: Any
    current: Any


class Values(TypedDict, total=False):
    values: list[Raised | NotRead] | Other


class Request(TypedDict, total=False):
    method: Any
    url: Any
    headers: Any
    env: Any


class Contexts(TypedDict, total=False):
    trace: Any
    browser: Any
    os: Any
    client_os: Any
    device: Any


class SentEvent(TypedDict, total=False):
    event_id: Any
    timestamp: Any
    level: Any
    platform: Any
    environment: Any
    release: Any
    server_name: Any
    transaction: Any
    logger: Any
    fingerprint: Any
    logentry: Any
    message: Any
    tags: Any
    user: Any
    request: Request | NotRead
    contexts: Contexts | NotRead
    exception: Values | list[Raised | NotRead] | Scalar
    threads: Values | list[Raised | NotRead] | Scalar
    stacktrace: Stacktrace | NotRead


read = msgspec.json.Decoder(SentEvent).decode
