"""Inbound filters: events that a project accepts, counts and does not store."""

from errata.filters.inbound_filter import InboundFilter
from errata.filters.project_filters import NO_FILTERS, ProjectFilters, filters_of
from errata.filters.registry import FILTERS

__all__ = ["FILTERS", "NO_FILTERS", "InboundFilter", "ProjectFilters", "filters_of"]
