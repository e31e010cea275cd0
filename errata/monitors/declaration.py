"""Configurations that people declared for a monitor, which hold instead of those that its check-ins send."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.monitors.config import MonitorConfig

Key = tuple[str, str]
"""The slug and environment of a monitor."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """`until`: None while it is declared."""

    config: MonitorConfig
    since: datetime
    until: datetime | None = None

    def holds_at(self, moment: datetime) -> bool:
        return self.since <= moment and (self.until is None or moment < self.until)


Declarations = Mapping[Key, Sequence[Declaration]]
"""By monitor, with those that ended."""


def declared_at(declarations: Iterable[Declaration], moment: datetime) -> Declaration | None:
    return next((one for one in declarations if one.holds_at(moment)), None)


def current_declaration(declarations: Iterable[Declaration]) -> Declaration | None:
    return next((one for one in declarations if one.until is None), None)


def declared_slugs(declarations: Declarations) -> set[str]:
    """The names of monitors that are declared now."""
    return {slug for (slug, _), each in declarations.items() if current_declaration(each)}
