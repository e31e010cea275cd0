"""Two events beside each other: what differs, section by section."""

from errata.comparison.difference import Row, Side, difference
from errata.comparison.sections import Section, compared

__all__ = ["Row", "Section", "Side", "compared", "difference"]
