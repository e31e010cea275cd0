"""The tags of an event: default ones out of its fields, then the SDK's."""

from dataclasses import dataclass

from dashboards.event.contexts import browser_words
from dashboards.event.shapes import first_text, mapping, pairs, text
from errata.client_software import client_software

MOST_TAGS = 200


@dataclass(frozen=True, slots=True)
class Tag:
    """`value` is what the list can be filtered by; `shown` may say more, such as a browser's version."""

    name: str
    value: str
    shown: str


def tags(raw: dict[str, object], service: str = "") -> list[Tag]:
    """`service` is the segment of the application key: no payload holds it."""
    contexts = mapping(raw.get("contexts"))
    client = client_software(contexts, mapping(raw.get("request")))
    system = next(filter(None, (mapping(contexts.get(name)) for name in ("client_os", "os"))), {})
    defaults = {
        "environment": (first_text(raw.get("environment")), ""),
        "release": (first_text(raw.get("release")), ""),
        "service": (service, ""),
        "server_name": (first_text(raw.get("server_name")), ""),
        "browser": (client.browser, browser_words(raw)),
        "os": (client.os, " ".join(filter(None, (client.os, first_text(system.get("version"))))).strip()),
        "device": (client.device, ""),
        "level": (first_text(raw.get("level")) or "error", ""),
        "transaction": (first_text(raw.get("transaction")), ""),
        "logger": (first_text(raw.get("logger")), ""),
    }
    found = [Tag(name, value, shown or value) for name, (value, shown) in defaults.items() if value]
    known = {tag.name for tag in found}
    custom = sorted(pairs(raw.get("tags"))[:MOST_TAGS], key=lambda pair: pair[0])
    return found + [Tag(name, text(value), text(value)) for name, value in custom if name not in known]
