"""The language of the search box: text to typed terms and back. What they mean: errata.warehouse.queries."""

from errata.search.error import SearchError
from errata.search.parse import parse
from errata.search.search import Search

__all__ = ["Search", "SearchError", "parse"]
