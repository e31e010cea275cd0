"""How a project groups: a version of the rules, and its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from errata.grouping.fingerprint import CURRENT_VERSION, version_in_use
from errata.grouping.rule_text import RulesNotUnderstood, parse_rules
from errata.grouping.rules import NO_RULES, GroupingRules
from errata.grouping.shape import hash_of

log = logging.getLogger("errata.grouping")


def rules_hash_of(version: int, rules: str) -> int:
    """Of what a configuration makes of variants, whatever its number."""
    return hash_of(f"{version}\n{rules}".encode())


@dataclass(frozen=True, slots=True)
class GroupingConfiguration:
    version: int = CURRENT_VERSION
    rules: GroupingRules = NO_RULES
    number: int = 1
    rules_hash: int = rules_hash_of(CURRENT_VERSION, "")


ConfigurationOf = Callable[[int], GroupingConfiguration]
"""The configuration a project has now, by its id."""

STANDARD = GroupingConfiguration()


def standard(_project_id: int) -> GroupingConfiguration:
    return STANDARD


@lru_cache(maxsize=1024)
def grouping(version: int, rules: str, number: int = 1) -> GroupingConfiguration:
    """As it is stored with a project; its rules were read once before they were stored."""
    version = version_in_use(version)
    try:
        return GroupingConfiguration(version, parse_rules(rules), number, rules_hash_of(version, rules))
    except RulesNotUnderstood as error:
        log.error("The rules of configuration %s are no longer valid: %s", number, error)
        return GroupingConfiguration(version, NO_RULES, number, rules_hash_of(version, ""))
