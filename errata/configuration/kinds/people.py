"""People of the organization, with their roles and projects. Passwords are made anew."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field, Strict

from errata.configuration.change import Change
from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind, Wrong
from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.state.users import Person, Role, normalized_email


class PersonEntry(Entry):
    email: str
    role: Annotated[Role, Strict(False)] = Role.MEMBER
    projects: list[str] | None = Field(
        default=None, description="Slugs of the projects they see; default: all."
    )


class People(ListKind[PersonEntry]):
    field = "people"
    noun = "person"
    description = "People of the organization."
    shape = list[PersonEntry]
    changes_last = True

    def name(self, entry: PersonEntry) -> str:
        return normalized_email(entry.email)

    def stored(self, context: Context) -> list[PersonEntry]:
        return [
            PersonEntry(
                email=person.email,
                role=Role(person.role),
                projects=None if person.projects is None else sorted(person.projects),
            )
            for person in self._people(context)
        ]

    def checked(self, context: Context, entry: PersonEntry) -> PersonEntry:
        if entry.role is Role.OWNER and entry.projects is not None:
            raise InvalidParameter("projects", "owners see all projects; leave it out")
        given = {project.slug for project in context.given.projects or ()}
        if unknown := set(entry.projects or ()) - given - context.slugs:
            raise InvalidParameter("projects", f"no project has the slug {min(unknown)!r}")
        projects = None if entry.projects is None else sorted(set(entry.projects))
        return entry.model_copy(update={"email": checked_email(entry.email), "projects": projects})

    def wrong(self, context: Context, value: list[PersonEntry]) -> Iterator[Wrong]:
        yield from super().wrong(context, value)
        given = {self.name(entry): entry.role for entry in value}
        stored = {} if context.is_pruning else {self.name(one): one.role for one in self.stored(context)}
        if Role.OWNER not in {**stored, **given}.values():
            yield (), "there would be no owner; give someone the owner role"

    def changes(self, context: Context, value: list[PersonEntry]) -> list[Change]:
        """New owners before former ones, so that there is an owner at every moment."""
        return super().changes(context, sorted(value, key=lambda entry: entry.role is not Role.OWNER))

    def create(self, context: Context, entry: PersonEntry) -> None:
        """Projects that are yet to be created follow once they are."""
        password = context.store.passwords.add_user(
            *(context.organization_id, entry.email, entry.role, self._slugs(context, entry.projects)),
            actor=context.actor,
        )
        kept = "their existing password"
        context.issued.append(f"Password of {entry.email}: {password or kept}")

    def change(self, context: Context, entry: PersonEntry) -> None:
        before = self._person(context, entry.email)
        members, where = context.store.members, (context.organization_id, before.id)
        if before.role != entry.role:
            members.change_role(*where, entry.role, actor=context.actor)
        slugs = self._slugs(context, entry.projects)
        now = self._person(context, entry.email).projects
        if (None if now is None else sorted(now)) != slugs:
            members.change_projects(*where, slugs, actor=context.actor)

    def delete(self, context: Context, name: str) -> None:
        person = self._person(context, name)
        context.store.members.remove(context.organization_id, person.id, actor=context.actor)

    def id(self, context: Context, email: str) -> int:
        return self._person(context, email).id

    def first_owner(self, context: Context) -> str:
        return next(person.email for person in self._people(context) if person.role == Role.OWNER)

    def _slugs(self, context: Context, projects: Sequence[str] | None) -> list[str] | None:
        return None if projects is None else sorted(set(projects) & context.slugs)

    def _person(self, context: Context, email: str) -> Person:
        wanted = normalized_email(email)
        for person in self._people(context):
            if person.email == wanted:
                return person
        raise InvalidParameter("email", f"{wanted} isn't in the organization")

    def _people(self, context: Context) -> list[Person]:
        return context.store.users.of_organization(context.organization_id)


KIND = People()
