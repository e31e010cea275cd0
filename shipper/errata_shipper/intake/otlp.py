"""OpenTelemetry's exporters at the intake: OTLP over HTTP, where the extra `otlp` is installed."""

import re
from typing import TYPE_CHECKING

from errata_wire.otlp.response import content_type_of
from errata_wire.refusal import Refused

if TYPE_CHECKING:
    from errata_wire.otlp.request import Read

_PATH = re.compile(r"(?:/.*)?/v1/(?P<signal>traces|logs)/?")


def signal_in(path: str) -> str:
    """What is sent to an address of OTLP: `traces` or `logs`; empty for another address."""
    match = _PATH.fullmatch(path)
    return match["signal"] if match else ""


def read(signal: str, content: bytes, header: str) -> "Read":
    """An inflated body with this Content-Type. Raises Refused, also without the extra."""
    try:
        # By the first request alone: protobuf takes memory that most intakes do not need.
        from errata_wire.otlp.request import READERS
    except ImportError as error:
        raise Refused(
            501,
            "this shipper lacks the package opentelemetry-proto; run in its environment: "
            "pip install 'opentelemetry-proto>=1.45', or install its wheel with the extra [otlp]",
        ) from error
    return READERS[signal](content, content_type_of(header))
