"""From an error event to its variant, from a variant to its fingerprint, from a fingerprint to its issue."""

from errata.grouping.configuration import ConfigurationOf, GroupingConfiguration, standard
from errata.grouping.fingerprint import CURRENT_VERSION, VERSIONS, Fingerprint, fingerprint_of, issue_id_of
from errata.grouping.rule_text import RuleProblem, RulesNotUnderstood, parse_rules
from errata.grouping.rules import NO_RULES, GroupingRules
from errata.grouping.shape import VariantShape
from errata.grouping.variant import Variant, overflow_variant, variant_of

__all__ = [
    "CURRENT_VERSION",
    "NO_RULES",
    "VERSIONS",
    "ConfigurationOf",
    "Fingerprint",
    "GroupingConfiguration",
    "GroupingRules",
    "RuleProblem",
    "RulesNotUnderstood",
    "Variant",
    "VariantShape",
    "fingerprint_of",
    "issue_id_of",
    "overflow_variant",
    "parse_rules",
    "standard",
    "variant_of",
]
