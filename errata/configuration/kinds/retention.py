"""How many days a project keeps its data, where that is fewer than the service does."""

from errata.configuration.context import Context
from errata.configuration.kind import SettingKind
from errata.errors import InvalidParameter
from errata.warehouse.retention import DataKind, Retention

Days = dict[str, int]


class ProjectRetention(SettingKind[Days]):
    field = "retention"
    noun = "retention"
    description = f"Days to keep data of a kind: {', '.join(DataKind)}."
    shape = Days

    @property
    def default(self) -> Days:
        return {}

    def stored(self, context: Context) -> Days:
        return _plain(context.store.retention.get(context.organization_id, context.slug).retention)

    def checked(self, context: Context, value: Days) -> Days:
        if unknown := set(value) - set(DataKind):
            raise InvalidParameter(min(unknown), f"unknown kind of data; use {', '.join(DataKind)}")
        retention = _retention(value)
        retention.require_possible()
        return _plain(retention)

    def write(self, context: Context, value: Days) -> None:
        context.store.retention.replace(
            context.organization_id, context.slug, _retention(value), actor=context.actor
        )


def _retention(value: Days) -> Retention:
    return Retention({DataKind(kind): days for kind, days in value.items()})


def _plain(retention: Retention) -> Days:
    return {kind.value: days for kind, days in sorted(retention.own.items())}


KIND = ProjectRetention()
