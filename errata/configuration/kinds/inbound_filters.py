"""Inbound filters that a project has turned on."""

from errata.configuration.context import Context
from errata.configuration.kind import SettingKind
from errata.filters import ProjectFilters

Filters = dict[str, list[str]]


class InboundFilters(SettingKind[Filters]):
    field = "inbound_filters"
    noun = "inbound filters"
    description = "The enabled filters, each with its entries; others are off."
    shape = Filters

    @property
    def default(self) -> Filters:
        return {}

    def stored(self, context: Context) -> Filters:
        found = context.store.inbound_filters.get(context.organization_id, context.slug).filters
        return _plain(found)

    def checked(self, context: Context, value: Filters) -> Filters:
        filters = _filters(value)
        filters.require_understood()
        return _plain(filters)

    def write(self, context: Context, value: Filters) -> None:
        context.store.inbound_filters.replace(
            context.organization_id, context.slug, _filters(value), actor=context.actor
        )


def _filters(value: Filters) -> ProjectFilters:
    return ProjectFilters({kind: tuple(entries) for kind, entries in value.items()})


def _plain(filters: ProjectFilters) -> Filters:
    return {kind: list(filters.on[kind]) for kind in sorted(filters.on)}


KIND = InboundFilters()
