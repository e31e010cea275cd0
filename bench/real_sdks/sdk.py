from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


class NotInstalled(Exception):
    """Why an SDK cannot be tried here."""


@dataclass(frozen=True)
class Sdk:
    """A program with an SDK in it: `command`, a DSN and a label make it send one error, and print its id."""

    label: str
    language: str
    version: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    sends_spans: bool = True
