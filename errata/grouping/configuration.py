"""How a project groups: a version of the rules, and its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from errata.grouping.fingerprint import CURRENT_VERSION
from errata.grouping.rules import NO_RULES, GroupingRules


@dataclass(frozen=True, slots=True)
class GroupingConfiguration:
    version: int = CURRENT_VERSION
    rules: GroupingRules = NO_RULES


ConfigurationOf = Callable[[int], GroupingConfiguration]
"""The configuration a project has now, by its id."""

STANDARD = GroupingConfiguration()


def standard(_project_id: int) -> GroupingConfiguration:
    return STANDARD
