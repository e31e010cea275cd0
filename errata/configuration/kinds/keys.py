"""Keys of a project, by the service each is for. Their values are never in a file."""

from typing import Annotated

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import ListKind
from errata.errors import InvalidParameter
from errata.state.app_key import AppKey
from errata.state.keys import SERVICE

WHOLE_PROJECT = "*"
Service = Annotated[str, Field(pattern=rf"^(\*|{SERVICE.pattern})$")]


class Keys(ListKind[str]):
    shape = list[Service]

    def __init__(self, field: str, noun: str, description: str, *, is_public: bool) -> None:
        self.field, self.noun, self.description = field, noun, description  # type: ignore[misc]
        self._is_public = is_public

    def name(self, entry: str) -> str:
        return entry

    def stored(self, context: Context) -> list[str]:
        return [row.service or WHOLE_PROJECT for row in self._rows(context)]

    def checked(self, context: Context, entry: str) -> str:
        if entry != WHOLE_PROJECT and not SERVICE.fullmatch(entry):
            raise InvalidParameter("service", "1 to 32 lowercase letters, digits and hyphens, or *")
        return entry

    def create(self, context: Context, entry: str) -> None:
        service = "" if entry == WHOLE_PROJECT else entry
        issued = context.store.keys.app.create(
            *(context.organization_id, context.slug, service),
            actor=context.actor,
            is_public=self._is_public,
        )
        context.issued.append(self.issued_words(context.slug, entry, issued.key))

    def issued_words(self, slug: str, entry: str, key: str) -> str:
        whose = slug if entry == WHOLE_PROJECT else f"{slug}, service {entry}"
        return f"{self.noun.capitalize()} of {whose}: {key}"

    def change(self, context: Context, entry: str) -> None:
        """There is nothing to change but the name, by which a key is known."""

    def delete(self, context: Context, name: str) -> None:
        service = "" if name == WHOLE_PROJECT else name
        row = next(row for row in self._rows(context) if row.service == service)
        context.store.keys.app.revoke(context.organization_id, context.slug, row.id, actor=context.actor)

    def _rows(self, context: Context) -> list[AppKey]:
        found = context.store.keys.app.of_project(
            context.organization_id, context.slug, is_public=self._is_public
        )
        return [row for row in found if row.state == "current"]


APPLICATION = Keys(
    "application_keys",
    "application key",
    "Services with an application key; `*` is the project-wide key.",
    is_public=False,
)
PUBLIC = Keys(
    "public_keys",
    "public key",
    "Services with a public key for DSNs; `*` is the project-wide key.",
    is_public=True,
)
KINDS = (APPLICATION, PUBLIC)
