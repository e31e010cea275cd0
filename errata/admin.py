"""`errata admin`: people, keys and limits from the command line, for whoever cannot sign in. Each change is
in the activity log."""

import argparse
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path

from errata.account_store import account_store
from errata.admin_limits import limits_table
from errata.email_address import checked_email
from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.ingest_limits import ORGANIZATION_LINES_PER_MINUTE, LimitKind
from errata.state.organization import Organization
from errata.state.users import Person, Role, normalized_email
from errata.up.credentials import replace_key

NO_LIMIT = "none"
LINES_SETTING = "ERRATA_API_LINES_PER_MINUTE"


@dataclass(frozen=True)
class Administration:
    """`credentials_path` is the file of the service that has the current keys; None: it has none. `base_url`:
    that of the pages, or a word in its place where only a data directory is known."""

    store: Store
    organization: Organization
    credentials_path: Path | None
    base_url: str
    lines_per_minute: int
    """The organization's limit."""

    @property
    def actor(self) -> str:
        return actor()

    def list_users(self, _chosen: argparse.Namespace) -> str:
        people = self.store.users.of_organization(self.organization.id)
        width = max(len(person.email) for person in people)
        return "\n".join(f"{person.email:<{width}}  {person.role}" for person in people)

    def add_user(self, chosen: argparse.Namespace) -> str:
        password = self.store.passwords.add_user(
            self.organization.id, chosen.email, Role(chosen.role), actor=self.actor
        )
        if not password:
            return f"{chosen.email} is now in {self.organization.name}, with their existing password."
        return f"Password of {chosen.email}: {password}"

    def reset_password(self, chosen: argparse.Namespace) -> str:
        self._person(chosen.email)
        password = self.store.passwords.reset(chosen.email, actor=self.actor)
        return f"New password of {chosen.email}: {password}\nAll of their sessions have ended."

    def invite(self, chosen: argparse.Namespace) -> str:
        created = self.store.one_time_links.invite(
            self.organization.id, chosen.email, Role(chosen.role), actor=self.actor
        )
        return f"Link for {created.link.email}, valid for 7 days: {self.base_url}/link/{created.token}"

    def turn_off_two_steps(self, chosen: argparse.Namespace) -> str:
        person = self._person(chosen.email)
        self.store.two_steps.turn_off_of(self.organization.id, person.id, actor=self.actor, is_operator=True)
        return f"Two-factor authentication of {person.email} is off. They sign in with their password only."

    def unlink(self, chosen: argparse.Namespace) -> str:
        person = self._person(chosen.email)
        if self.store.identities.unlink(self.organization.id, person.id, person.email, actor=self.actor):
            return f"{person.email} is no longer linked to the sign-in provider until their next sign-in."
        return f"{person.email} isn't linked to the sign-in provider."

    def regenerate_key(self, _chosen: argparse.Namespace) -> str:
        issued = self.store.keys.api.regenerate(self.organization.id, actor=self.actor)
        self._keep(issued.key)
        return f"New API key: {issued.key}\nThe old API key no longer works."

    def prepare_key(self, _chosen: argparse.Namespace) -> str:
        issued = self.store.keys.api.prepare(self.organization.id, actor=self.actor)
        return f"Next API key: {issued.key}\nThe current key stays valid until the next one is promoted."

    def promote_key(self, _chosen: argparse.Namespace) -> str:
        promoted = self.store.keys.api.promote(self.organization.id, actor=self.actor)
        self._keep(self.store.keys.api.text(self.organization.id, promoted))
        return f"{promoted.prefix}… is now the API key. The previous key no longer works."

    def limits(self, chosen: argparse.Namespace) -> str:
        if not chosen.project:
            if chosen.lines_per_minute or chosen.service:
                raise InvalidParameter("PROJECT", "a project slug is required to change a limit")
            return limits_table(self.store, self.organization, self.lines_per_minute)
        if not chosen.lines_per_minute:
            raise InvalidParameter("--lines-per-minute", "a number, or none")
        lines = _lines(chosen.lines_per_minute)
        self.store.ingest_limits.replace(
            self.organization.id, chosen.project, chosen.service, {LimitKind.LINES: lines}, actor=self.actor
        )
        whose = f"Service {chosen.service} of {chosen.project}" if chosen.service else chosen.project
        if lines is None:
            return f"{whose} no longer has its own limit."
        return f"{whose} can deliver {lines:,} lines per minute."

    def _keep(self, key: str) -> None:
        if self.credentials_path is not None:
            projects = self.store.projects.of_organization(self.organization.id)
            replace_key(self.credentials_path, [project.slug for project in projects], "api_key", key)

    def _person(self, email: str) -> Person:
        wanted = normalized_email(email)
        for person in self.store.users.of_organization(self.organization.id):
            if person.email == wanted:
                return person
        raise InvalidParameter("EMAIL", f"no user of {self.organization.name} has this email address")


def _lines(text: str) -> int | None:
    if text == NO_LIMIT:
        return None
    if not text.isascii() or not text.isdigit():
        raise InvalidParameter("--lines-per-minute", "a number, or none")
    return int(text)


def actor() -> str:
    """Who it was, in the activity log."""
    return f"errata admin: {getuser()}@{socket.gethostname()}"


COMMANDS: Mapping[str, Callable[[Administration, argparse.Namespace], str]] = {
    "users": Administration.list_users,
    "add-user": Administration.add_user,
    "reset-password": Administration.reset_password,
    "invite": Administration.invite,
    "unlink": Administration.unlink,
    "turn-off-two-steps": Administration.turn_off_two_steps,
    "regenerate-key": Administration.regenerate_key,
    "prepare-key": Administration.prepare_key,
    "promote-key": Administration.promote_key,
    "limits": Administration.limits,
}


def administer(environ: Mapping[str, str], data: Path, chosen: argparse.Namespace) -> int:
    """Prints what the command returns, such as a new password, which is shown only here."""
    with account_store(environ, data) as opened:
        store = opened.store
        if chosen.what == "create-organization":
            words = _create_organization(store, chosen)
        else:
            organization = opened.organization(chosen.organization)
            base_url = environ.get("ERRATA_BASE_URL", "").rstrip("/") or "(address of the pages)"
            lines = int(environ.get(LINES_SETTING) or ORGANIZATION_LINES_PER_MINUTE)
            administration = Administration(store, organization, opened.credentials_path, base_url, lines)
            words = COMMANDS[chosen.what](administration, chosen)
        print(words)  # noqa: T201
    return 0


def _create_organization(store: Store, chosen: argparse.Namespace) -> str:
    store.ping()
    owner = checked_email(chosen.owner)
    organization, key = store.accounts.create(chosen.name, actor=actor())
    password = store.passwords.add_user(organization.id, owner, Role.OWNER, actor=actor())
    how = f"password: {password}" if password else "their existing password"
    return f"Created {organization.name}. Owner: {owner}, with {how}\nAPI key: {key}"
