"""The setting that chooses between text and JSON. It is read before all others, whose errors it shapes."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from errata.errors import InvalidSettings

VARIABLE = "ERRATA_LOG_FORMAT"
# The configuration of uvicorn, whose first lines come before any module of ours.
UVICORN = Path(__file__).with_name("uvicorn.json")


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


def log_format(environ: Mapping[str, str]) -> LogFormat:
    """Raises InvalidSettings."""
    try:
        return LogFormat(environ.get(VARIABLE, LogFormat.TEXT))
    except ValueError:
        raise InvalidSettings([f"{VARIABLE}: must be text or json"]) from None
