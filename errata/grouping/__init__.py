"""From an error event to its variant, from a variant to its fingerprint, from a fingerprint to its issue."""

from errata.grouping.fingerprint import CURRENT_VERSION, Fingerprint, fingerprint_of, issue_id_of
from errata.grouping.shape import VariantShape
from errata.grouping.variant import Variant, overflow_variant, variant_of

__all__ = [
    "CURRENT_VERSION",
    "Fingerprint",
    "Variant",
    "VariantShape",
    "fingerprint_of",
    "issue_id_of",
    "overflow_variant",
    "variant_of",
]
