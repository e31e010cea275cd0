"""Channels of alerts, with their secrets by reference."""

from pydantic import Field

from errata.alerts.channel import KINDS, MOST_AN_HOUR, checked
from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind, SimpleValues
from errata.configuration.references import PATTERN, variable_of
from errata.errors import InvalidParameter
from errata.state.alerts.channel import Channel
from errata.state.alerts.channels import HOURLY_LIMIT, NewChannel
from errata.state.errors import SecretUnreadable


class ChannelEntry(Entry):
    name: str
    kind: str = Field(json_schema_extra={"enum": list(KINDS)})
    settings: SimpleValues = Field(default_factory=dict)
    secret: str = Field(
        default="",
        pattern=rf"^$|{PATTERN}",
        description="Reference to the secret: `${env:NAME}` or `file:PATH`; empty: none, or the stored one.",
    )
    hourly_limit: int = Field(default=HOURLY_LIMIT, json_schema_extra={"minimum": 1, "maximum": MOST_AN_HOUR})


class Channels(ListKind[ChannelEntry]):
    field = "channels"
    noun = "channel"
    description = "Destinations of alerts."
    shape = list[ChannelEntry]

    def name(self, entry: ChannelEntry) -> str:
        return entry.name

    def stored(self, context: Context) -> list[ChannelEntry]:
        """With a reference for each secret, which nothing can be told of but that there is one."""
        rows, taken = self._rows(context), set[str]()
        found = list[ChannelEntry]()
        for row in sorted(rows, key=lambda row: row.name):
            variable = base = variable_of(row.name)
            number = 1
            while variable in taken:
                number += 1
                variable = f"{base}_{number}"
            taken.add(variable)
            found.append(
                ChannelEntry(
                    name=row.name,
                    kind=row.kind,
                    settings=dict(row.settings),
                    secret=f"${{env:{variable}}}" if row.secret_id else "",
                    hourly_limit=row.hourly_limit,
                )
            )
        return found

    def checked(self, context: Context, entry: ChannelEntry) -> ChannelEntry:
        before = self._row(context, entry.name)
        secret = self._secret(context, entry)
        if before is not None and not self._is_changed(context, before, entry):
            return entry
        if before is not None and before.kind != entry.kind:
            raise InvalidParameter("kind", f"{before.kind} can't become {entry.kind}; choose another name")
        if entry.secret and not secret and before is None:
            raise InvalidParameter(
                "secret", f"{entry.secret} is empty or isn't there, and the channel is new"
            )
        new = NewChannel(entry.kind, entry.name, entry.settings, secret, entry.hourly_limit)
        by = context.surroundings
        stored = checked(new, by.outgoing, by.mail, before)
        return entry.model_copy(update={"name": stored.name, "settings": dict(stored.settings)})

    def differences(self, context: Context, before: ChannelEntry, after: ChannelEntry) -> list[str]:
        shown = {"secret": ""}
        found = super().differences(context, before.model_copy(update=shown), after.model_copy(update=shown))
        row = self._row(context, after.name)
        if row is not None and self._has_other_secret(context, row, after):
            found.append("secret")
        return found

    def create(self, context: Context, entry: ChannelEntry) -> None:
        given = self._new(context, entry)
        new = checked(given, context.surroundings.outgoing, context.surroundings.mail)
        context.store.alerts.channels.create(context.organization_id, new, actor=context.actor)
        if new.secret and not given.secret.strip():
            context.issued.append(f"Signing key of channel {entry.name}: {new.secret}")

    def change(self, context: Context, entry: ChannelEntry) -> None:
        row = self._row(context, entry.name)
        assert row is not None
        by = context.surroundings
        context.store.alerts.channels.change(
            context.organization_id,
            row.id,
            checked(self._new(context, entry), by.outgoing, by.mail, row),
            actor=context.actor,
        )

    def delete(self, context: Context, name: str) -> None:
        row = self._row(context, name)
        assert row is not None
        context.store.alerts.channels.delete(context.organization_id, row.id, actor=context.actor)

    def id(self, context: Context, name: str) -> str:
        row = self._row(context, name)
        if row is None:
            raise InvalidParameter("channels", f"no channel is named {name!r}")
        return row.id

    def names(self, context: Context) -> dict[str, str]:
        """By id."""
        return {row.id: row.name for row in self._rows(context)}

    def _new(self, context: Context, entry: ChannelEntry) -> NewChannel:
        secret = self._secret(context, entry)
        return NewChannel(entry.kind, entry.name, entry.settings, secret, entry.hourly_limit)

    def _is_changed(self, context: Context, row: Channel, entry: ChannelEntry) -> bool:
        stored = (row.kind, dict(row.settings), row.hourly_limit)
        given = (entry.kind, entry.settings, entry.hourly_limit)
        return stored != given or self._has_other_secret(context, row, entry)

    def _has_other_secret(self, context: Context, row: Channel, entry: ChannelEntry) -> bool:
        """An empty or missing one leaves the stored one."""
        secret = self._secret(context, entry)
        try:
            return bool(secret) and context.store.alerts.channels.secret(row).get_secret_value() != secret
        except SecretUnreadable:
            return True

    def _secret(self, context: Context, entry: ChannelEntry) -> str:
        return (context.references.value(entry.secret) or "") if entry.secret else ""

    def _row(self, context: Context, name: str) -> Channel | None:
        return next((row for row in self._rows(context) if row.name == name.strip()), None)

    def _rows(self, context: Context) -> list[Channel]:
        return context.store.alerts.channels.of_organization(context.organization_id)


KIND = Channels()
