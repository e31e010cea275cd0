"""`errata config`: exports the configuration, says what a file would change, and applies it."""

import socket
from argparse import Namespace
from collections.abc import Mapping, Sequence
from getpass import getuser
from pathlib import Path

from errata.account_store import AccountStore, account_store
from errata.alerts.channel_kind import Surroundings
from errata.alerts.service_mail import mail_server
from errata.configuration.apply import applied
from errata.configuration.change import Sign
from errata.configuration.context import Context, Given
from errata.configuration.errors import SecretsFileUnusable
from errata.configuration.export import exported_text
from errata.configuration.file_shape import schema_text, shaped
from errata.configuration.plan import Section, planned, require_applicable
from errata.configuration.references import References
from errata.configuration.source import read_source
from errata.outgoing import Outgoing
from errata.private_file import append_private, write_private
from errata.reports.formats import plural
from errata.settings import CoreSettings, load

STANDARD_OUTPUT = Path("-")
WOULD_CHANGE = 3


def configure(environ: Mapping[str, str], data: Path, chosen: Namespace) -> int:
    if chosen.what == "schema":
        _print(schema_text().rstrip())
        return 0
    if chosen.what == "export":
        with account_store(environ, data) as opened:
            return _export(context_of(opened, chosen.organization, environ, Path()), chosen.file)
    source = read_source(chosen.file)
    given = shaped(source)
    with account_store(environ, data) as opened:
        folder = chosen.file.parent
        context = context_of(
            opened, chosen.organization, environ, folder, given=given, is_pruning=chosen.prune
        )
        require_applicable(context, source)
        if chosen.what == "plan":
            return _plan(context, fails=chosen.check)
        return _apply(context, chosen.secrets_file)


def context_of(
    opened: AccountStore,
    organization: str,
    environ: Mapping[str, str],
    folder: Path,
    *,
    given: Given | None = None,
    is_pruning: bool = False,
) -> Context:
    core = load(CoreSettings, opened.settings)
    return Context(
        store=opened.store,
        organization=opened.organization(organization),
        actor=f"configuration: {getuser()}@{socket.gethostname()}",
        surroundings=Surroundings(Outgoing(core.outgoing_policy, core.outgoing_ca_file), mail_server(core)),
        references=References(environ, folder),
        given=given or Given(),
        is_pruning=is_pruning,
    )


def _export(context: Context, path: Path) -> int:
    text = exported_text(context)
    if path == STANDARD_OUTPUT:
        _print(text.rstrip())
    else:
        write_private(path, text)
    return 0


def _plan(context: Context, *, fails: bool) -> int:
    sections = planned(context)
    _print("\n".join(plan_lines(sections)))
    changes = any(change.sign is not Sign.LEFT for section in sections for change in section.changes)
    return WOULD_CHANGE if fails and changes else 0


def plan_lines(sections: Sequence[Section]) -> list[str]:
    changes = [change for section in sections for change in section.changes]
    counts = {sign: sum(change.sign is sign for change in changes) for sign in Sign}
    lines = list(map(str, changes))
    if counts[Sign.LEFT]:
        lines.append("! isn't in the file and is kept; --prune deletes it unless it's a project")
    if len(changes) == counts[Sign.LEFT]:
        return [*lines, "No changes."]
    return [
        *lines,
        f"{counts[Sign.CREATE]} to create, {counts[Sign.CHANGE]} to change, {counts[Sign.DELETE]} to delete.",
    ]


def _apply(context: Context, secrets_file: Path | None) -> int:
    count, telling = 0, Telling(context.issued, secrets_file)
    for change in applied(context):
        _print(str(change))
        telling.tell()
        count += 1
    _print(f"{plural(count, 'change')} applied." if count else "No changes.")
    return 0


class Telling:
    """Tells keys and passwords that were made anew, as soon as they are stored: nobody can read passwords
    later. Raises SecretsFileUnusable, before anything is changed, for a file that can't be written."""

    def __init__(self, issued: list[str], path: Path | None) -> None:
        self._issued, self._path = issued, path
        if path is not None:
            self._append("")

    def tell(self) -> None:
        if not self._issued:
            return
        if self._path is None:
            _print("\n".join(f"  shown only once: {each}" for each in self._issued))
        else:
            self._append("".join(f"{each}\n" for each in self._issued))
            _print(f"  {len(self._issued)} new: see {self._path}")
        self._issued.clear()

    def _append(self, text: str) -> None:
        assert self._path is not None
        try:
            append_private(self._path, text)
        except OSError as error:
            raise SecretsFileUnusable(self._path, error.strerror or "") from error


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201
