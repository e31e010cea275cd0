"""Stores that files of configuration are applied to, and a file with one of everything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from errata.alerts.channel_kind import Surroundings
from errata.configuration.apply import applied
from errata.configuration.context import Context
from errata.configuration.export import exported_text
from errata.configuration.file_shape import shaped
from errata.configuration.plan import planned, require_applicable
from errata.configuration.references import References
from errata.configuration.source import parsed_source
from errata.outgoing import Outgoing
from errata.state import Store
from errata.state.users import Role

SECRET = b"a secret of more than sixteen bytes"
ACTOR = "configuration: ada@laptop"
FILE = Path("errata.yaml")
EVERYTHING = (Path(__file__).parent / "data" / "configuration" / "everything.yaml").read_text()
VARIABLES = {
    "CHANNEL_CHAT_SECRET": "https://hooks.slack.com/services/T0/B0/abcdefghijkl",
    "CHANNEL_ON_CALL_SECRET": "0123456789abcdef0123456789abcdef",
    "CHANNEL_MAIL_SECRET": "a password of the mail server",
}


@dataclass(frozen=True)
class Configured:
    """The first organization in a store, as `errata config` sees it."""

    store: Store
    variables: Mapping[str, str] = field(default_factory=lambda: VARIABLES)
    folder: Path = Path()
    outgoing: Outgoing = field(default_factory=Outgoing)

    def context(self, text: str = "", *, is_pruning: bool = False) -> Context:
        organization = self.store.accounts.organizations()[0]
        base = Context(
            store=self.store,
            organization=organization,
            actor=ACTOR,
            surroundings=Surroundings(self.outgoing, None),
            references=References(self.variables, self.folder),
            is_pruning=is_pruning,
        )
        if not text:
            return base
        source = parsed_source(FILE, text)
        context = Context(**{**vars(base), "given": shaped(source)})
        require_applicable(context, source)
        return context

    def plan(self, text: str, *, is_pruning: bool = False) -> list[str]:
        sections = planned(self.context(text, is_pruning=is_pruning))
        return [str(change) for section in sections for change in section.changes]

    def apply(self, text: str, *, is_pruning: bool = False) -> list[str]:
        """What was made anew."""
        context = self.context(text, is_pruning=is_pruning)
        for _ in applied(context):
            pass
        return context.issued

    def export(self) -> str:
        return exported_text(self.context())


def begun(store: Store) -> Configured:
    """With an organization and its owner, and without a project."""
    organization, _ = store.accounts.create("Acme", actor="a test")
    store.passwords.add_user(organization.id, "owner@example.org", Role.OWNER, actor="a test")
    return Configured(store)
