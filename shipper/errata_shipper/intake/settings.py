"""The section `intake` of errata.yaml."""

import ipaddress
import re
from dataclasses import dataclass

from errata_wire.limits import INTAKE_BODY_MAX_BYTES, INTAKE_ITEMS_PER_SECOND, OTLP_MAX_BYTES
from errata_wire.origin import ORIGIN

from errata_shipper.fields import Fields

_LISTEN = re.compile(r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[^:\[\]/\s]*):)?(?P<port>[0-9]{1,5})")
_HOST = re.compile(r"[^:/\s@\[\]]+")
_GIB = 1 << 30


@dataclass(frozen=True)
class IntakeSettings:
    host: str = "127.0.0.1"
    port: int = 8123
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    max_body_bytes: int = INTAKE_BODY_MAX_BYTES
    items_per_second: int = INTAKE_ITEMS_PER_SECOND
    trusted_proxies: int = 0
    sync: bool = False
    keep_delivered_seconds: float = 72 * 3600.0
    max_size_bytes: int = 4 * _GIB

    @property
    def otlp_max_body_bytes(self) -> int:
        """The protocol's own limit, unless bodies are to be smaller or larger than by default."""
        if self.max_body_bytes < INTAKE_BODY_MAX_BYTES:
            return self.max_body_bytes
        return max(OTLP_MAX_BYTES, self.max_body_bytes)

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def intake_settings(fields: Fields | None) -> IntakeSettings | None:
    if fields is None:
        return None
    default = IntakeSettings()
    host, port = _listen(fields)
    settings = IntakeSettings(
        host=host,
        port=port,
        origins=_all_like(fields, "origins", ORIGIN, "https://shop.example.com"),
        hosts=_all_like(fields, "hosts", _HOST, "errata-shipper"),
        max_body_bytes=fields.size("maxBody", default.max_body_bytes, 64 << 10, 256 << 20),
        items_per_second=fields.whole_number("rateLimit", default.items_per_second, 1, 1_000_000),
        trusted_proxies=fields.whole_number("trustedProxies", default.trusted_proxies, 0, 10),
        sync=fields.boolean("sync", default.sync),
        keep_delivered_seconds=fields.duration("keepDelivered", default.keep_delivered_seconds, 8760),
        max_size_bytes=fields.size("maxSize", default.max_size_bytes, 1 << 20, 1024 * _GIB),
    )
    fields.name_unknown()
    return settings


def _listen(fields: Fields) -> tuple[str, int]:
    default = IntakeSettings()
    text = fields.required_text("listen")
    match = _LISTEN.fullmatch(text)
    if match is not None and 1 <= int(match["port"]) <= 65_535:
        return (match["host"] or default.host).strip("[]"), int(match["port"])
    if text:
        fields.complain("listen", f"{text!r} is not an address with a port; use one such as 127.0.0.1:8123")
    return default.host, default.port


def _all_like(fields: Fields, name: str, form: re.Pattern[str], example: str) -> tuple[str, ...]:
    texts = fields.texts(name)
    for text in texts:
        if not form.fullmatch(text):
            fields.complain(name, f"{text!r} is not of the form {example}")
    return texts
