"""Attributes of OTLP as plain values."""

from collections.abc import Iterable, Mapping
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

Attributes = dict[str, Any]

# Of lists and maps in a value: deeper ones are left out.
DEEPEST = 8
MOST_ATTRIBUTES = 256
LONGEST_NAME = 200
TYPES = {bool: "boolean", int: "integer", float: "double", str: "string"}


def attributes_of(sent: Iterable[KeyValue]) -> Attributes:
    """By name, the first ones of too many."""
    found: Attributes = {}
    for one in sent:
        if len(found) >= MOST_ATTRIBUTES:
            break
        if one.key and len(one.key) <= LONGEST_NAME:
            found[one.key] = value_of(one.value)
    return found


def value_of(sent: AnyValue, depth: int = 0) -> Any:
    """None for no value, and for one that is nested too deeply; bytes are shown as hexadecimal digits."""
    kind = sent.WhichOneof("value")
    if kind is None or depth > DEEPEST:
        return None
    if kind == "array_value":
        return [value_of(one, depth + 1) for one in sent.array_value.values]
    if kind == "kvlist_value":
        return {one.key: value_of(one.value, depth + 1) for one in sent.kvlist_value.values}
    value = getattr(sent, kind)
    return value.hex() if isinstance(value, bytes) else value


def first(attributes: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of these names that is there; None without one."""
    return next((attributes[name] for name in names if attributes.get(name) not in (None, "")), None)


def text(attributes: Mapping[str, Any], *names: str) -> str:
    value = first(attributes, *names)
    return value if isinstance(value, str) else "" if value is None else str(value)


def typed(attributes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """As containers of Sentry's protocol have them: texts, numbers and booleans that say something."""
    return {
        name: {"value": value, "type": TYPES[type(value)]}
        for name, value in attributes.items()
        if type(value) in TYPES and value != ""
    }


class Origin:
    """What a resource says of all that it sent."""

    def __init__(self, resource: Resource) -> None:
        self.attributes = attributes_of(resource.attributes)
        self.language = text(self.attributes, "telemetry.sdk.language")
        self.environment = text(self.attributes, "deployment.environment.name", "deployment.environment")
        self.server_name = text(self.attributes, "host.name", "k8s.pod.name", "container.id")
        self.service = text(self.attributes, "service.name")
        # What SDKs name a program that names itself nothing.
        if self.service.startswith("unknown_service"):
            self.service = ""

    @property
    def release(self) -> str:
        """`service@version`, as Sentry's SDKs name releases; a version that is named so already stays."""
        version = text(self.attributes, "service.version")
        return f"{self.service}@{version}" if version and self.service and "@" not in version else version

    @property
    def sdk(self) -> dict[str, str]:
        name = text(self.attributes, "telemetry.distro.name", "telemetry.sdk.name") or "opentelemetry"
        version = text(self.attributes, "telemetry.distro.version", "telemetry.sdk.version")
        return {"name": f"{name}.{self.language}" if self.language else name, "version": version}
