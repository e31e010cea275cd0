"""The recommendations of a project, out of the same answers that its pages show."""

from errata.recommendations.recommendation import Recommendation, recommendations
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import Answer, Filters, pages
from errata.warehouse.queries.resources import breakdown


def asked_of(warehouse: Warehouse, filters: Filters) -> Answer[Recommendation]:
    shown, loaded = pages(warehouse, filters, is_compared=False), breakdown(warehouse, filters)
    return Answer(recommendations(shown.rows, loaded.types, loaded.urls), loaded.as_of or shown.as_of)
