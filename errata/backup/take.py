"""`errata backup`: copies the warehouse and then the state store of a running service.

The state store comes last: a project or key is stored before the first event that names it, so each event of
the copy finds its project there.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from errata import __version__
from errata.backup.chains import NOTHING_DELETED, Retention, begins_anew, remove_old_chains
from errata.backup.erasure_list import chosen_list
from errata.backup.errors import BackupDamaged, BackupFailed
from errata.backup.expected import destination
from errata.backup.manifest import Base, Manifest, ManifestUnreadable
from errata.backup.place import ERASURES, BackupPlace
from errata.backup.places import place_of
from errata.backup.record import recorded, state_url_of
from errata.backup.sections import sections
from errata.backup.source import Source, source_of
from errata.backup.state_store import copy_state, unknown_revision
from errata.backup.verify import chain, problems
from errata.backup.warehouse import (
    DATABASES_COPIED,
    copy_section,
    definitions,
    require_restored,
    tables_copied,
)
from errata.reports.formats import plural
from errata.state.backup_runs import Kind, Outcome
from errata.state.errors import StateTooNew
from errata.up.data_directory import PRIVATE_UMASK
from errata.warehouse.queries.erasures.listing import write_list
from errata.warehouse.server import require_version

TABLE_ID = re.compile("(?i)uuid '([0-9a-f-]{36})'")


@dataclass(frozen=True)
class Options:
    with_marts: bool = True
    with_secret: bool = False
    retention: Retention = NOTHING_DELETED


def back_up(environ: Mapping[str, str], data: Path, path: str, options: Options) -> int:
    """Adds a backup to the directory; 0 when it is complete."""
    os.umask(PRIVATE_UMASK)
    source = source_of(environ, data)
    directory = place_of(path)
    with recorded(source.state_url, Kind.BACKUP, destination(path)) as run, directory.hold():
        now = datetime.now(UTC)
        base = None if begins_anew(directory, options.retention, now) else _base(directory)
        name = directory.begin(now)
        try:
            manifest = _taken(source, directory, name, base, options)
        except BaseException:
            directory.remove(name)
            raise
        run.tell(name=name, byte_count=manifest.bytes)
        _say(directory, name, manifest)
        removed = remove_old_chains(directory, options.retention.keep)
    if removed:
        sys.stdout.write(f"Found {name} restorable, and deleted {plural(len(removed), 'old backup')}\n")
    return 0


def verify(environ: Mapping[str, str], data: Path, path: str) -> int:
    """Prints what is wrong with backups; 0 when all of a directory can be restored, else 1. A service of
    this machine is told."""
    directory = place_of(path)
    with recorded(state_url_of(environ, data), Kind.VERIFICATION, destination(path)) as run:
        found = problems(directory)
        names = directory.complete()
        run.tell(name=names[-1] if names else "")
        if found:
            run.judge(Outcome.FAILED, "; ".join(found))
    for problem in found:
        sys.stderr.write(f"errata: {problem}\n")
    if found:
        return 1
    sys.stdout.write(
        f"Complete and unchanged in {directory.name}: {plural(len(names), 'backup')}, last {names[-1]}\n"
    )
    sys.stdout.write(chosen_list(directory).caution)
    return 0


def _base(directory: BackupPlace) -> Base | None:
    """The last backup. Raises BackupDamaged rather than build upon one that cannot be read."""
    names = directory.complete()
    base = None
    for name in chain(directory, names[-1]) if names else ():
        try:
            _, sha256 = directory.manifest(name)
        except (ManifestUnreadable, OSError) as error:
            raise BackupDamaged(directory.name, [f"{name}: {error}"]) from error
        base = base or Base(name, sha256)
    return base


def _require_same_service(directory: BackupPlace, base: str, created: Mapping[str, str]) -> None:
    """Raises BackupFailed unless some table is the same one as in the base: its list of erasures would say
    nothing of the other service."""
    known = {table.create for table in directory.manifest(base)[0].tables.values()}
    ours, theirs = (set(TABLE_ID.findall(" ".join(one))) for one in (created.values(), known))
    if not ours & theirs:
        raise BackupFailed(
            f"{directory.name} has backups of another service: choose another directory, or move them away"
        )


def _taken(
    source: Source, directory: BackupPlace, name: str, base: Base | None, options: Options
) -> Manifest:
    began_at = datetime.now(UTC)
    folder = directory.folder(name)
    copied = sections(options.with_marts)
    with source.writing_to(directory) as warehouse:
        engine = require_version(warehouse)
        require_restored(warehouse)
        created = definitions(warehouse, options.with_marts)
        if base is not None:
            _require_same_service(directory, base.name, created)
        for section in copied:
            copy_section(warehouse, section, directory, name, base.name if base else None)
        write_list(warehouse, folder / ERASURES)
    state = copy_state(source.state_url, folder)
    if revision := unknown_revision(folder, state):
        raise StateTooNew(revision)
    if options.with_secret:
        source.copy_secret(folder)
    names = [name, *(chain(directory, base.name) if base else ())]
    manifest = Manifest(
        version=__version__,
        engine=engine,
        began_at=began_at.isoformat(),
        finished_at=datetime.now(UTC).isoformat(),
        base=base,
        databases=DATABASES_COPIED,
        sections=tuple(section.name for section in copied),
        tables=tables_copied(directory, names, copied, created),
        state=state,
        has_secret=options.with_secret,
        files=directory.files(name),
        name=name,
    )
    directory.publish(name, manifest)
    return manifest


def _say(directory: BackupPlace, name: str, manifest: Manifest) -> None:
    kind = f"what is new since {manifest.base.name}" if manifest.base else "everything"
    sys.stdout.write(
        f"{directory.name}/{name}: {manifest.rows:,} rows and the state store, "
        f"{manifest.bytes / 1e6:.1f} MB ({kind})\n"
    )
    if not manifest.has_secret:
        sys.stdout.write(
            "The secret is not in it. Keep a copy elsewhere: without it, API keys, sign-ins and sealed "
            "tokens are lost. --with-secret includes it\n"
        )
