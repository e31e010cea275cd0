"""Origins allowed to send events with a project's public keys."""

from errata.configuration.context import Context
from errata.configuration.kind import SettingKind
from errata.state.allowed_origins import EVERY_ORIGIN, checked_origins


class Origins(SettingKind[list[str]]):
    field = "allowed_origins"
    noun = "allowed origins"
    description = "Origins that may send events; `*`: all."
    shape = list[str]

    @property
    def default(self) -> list[str]:
        return list(EVERY_ORIGIN)

    def stored(self, context: Context) -> list[str]:
        return list(context.store.allowed_origins.get(context.organization_id, context.slug).origins)

    def checked(self, context: Context, value: list[str]) -> list[str]:
        return list(checked_origins(value))

    def write(self, context: Context, value: list[str]) -> None:
        context.store.allowed_origins.replace(
            context.organization_id, context.slug, value, actor=context.actor
        )


KIND = Origins()
