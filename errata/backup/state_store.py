"""A consistent copy of the state store, taken while the service writes, and its restore."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL, create_engine, inspect
from sqlalchemy.exc import OperationalError

from errata.backup.errors import BackupFailed, RestoreRefused, TooNew
from errata.backup.manifest import Manifest
from errata.errors import ErrataError
from errata.state.database import Database, parsed_url, revisions

SQLITE, POSTGRESQL = "sqlite", "postgresql"
FILES = {SQLITE: "state.db", POSTGRESQL: "state.dump"}


def copy_state(url: str, folder: Path) -> str:
    """Writes the copy into the folder and returns its kind. Raises BackupFailed."""
    parsed = parsed_url(url)
    kind = parsed.get_backend_name()
    path = folder / FILES[kind]
    if kind == SQLITE:
        _copy_sqlite(Path(parsed.database or ""), path)
    else:
        _run("pg_dump", ("--format=custom", "--file", str(path)), BackupFailed, parsed)
    return kind


def require_place(url: str, kind: str) -> None:
    """Raises RestoreRefused unless the state store at this URL is of this kind, and empty."""
    parsed = parsed_url(url)
    if parsed.get_backend_name() != kind:
        raise RestoreRefused(
            f"The backup's state store is {kind}, not {parsed.get_backend_name()}: name an empty one in "
            "ERRATA_STATE_URL"
        )
    if kind == SQLITE:
        if Path(parsed.database or "").exists():
            raise RestoreRefused(f"{parsed.database} already exists")
        return
    _command("pg_restore", RestoreRefused)
    engine = create_engine(parsed)
    try:
        with engine.connect() as connection:
            if inspect(connection).get_table_names():
                raise RestoreRefused(f"The database {parsed.database} already has tables; use an empty one")
    except OperationalError as error:
        raise RestoreRefused(f"The state store did not respond: {error.orig}") from error
    finally:
        engine.dispose()


def unknown_revision(folder: Path, kind: str) -> str:
    """The revision of a backup's copy that this version lacks; empty: it knows it. Raises RestoreRefused for
    a dump that can't be read."""
    path = folder / FILES[kind]
    if kind == SQLITE:
        with closing(Database(f"sqlite:///{path}", is_read_only=True)) as database:
            revision = database.revision()
    else:
        # Nothing but this table's row, as text.
        arguments = ("--data-only", "--table=alembic_version", "--file=-", str(path))
        shown = _run("pg_restore", arguments, RestoreRefused)
        found = re.search("(?m)^copy .*alembic_version.*\n(.*)$", shown, re.IGNORECASE)
        revision = found and found[1]
    return "" if revision is None or revision in revisions() else revision


def require_known_state(folder: Path, manifest: Manifest) -> None:
    """Raises TooNew where the copy of a backup is at a revision that this version lacks."""
    if revision := unknown_revision(folder, manifest.state):
        raise TooNew(manifest.version, f"account store at revision {revision}")


def restore_state(folder: Path, url: str) -> None:
    """To a place that `require_place` has found empty. Raises RestoreRefused."""
    parsed = parsed_url(url)
    kind = parsed.get_backend_name()
    path = folder / FILES[kind]
    if kind == SQLITE:
        target = Path(parsed.database or "")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            target.chmod(0o600)
        except OSError as error:
            raise RestoreRefused(f"{target} can't be written: {error.strerror or error}") from error
    else:
        arguments = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", str(path))
        _run("pg_restore", arguments, RestoreRefused, parsed)


def _copy_sqlite(source: Path, target: Path) -> None:
    if not source.exists():
        raise BackupFailed(f"There is no state store at {source}")
    try:
        with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
            read.backup(written)
            # One file, without a log beside it.
            written.execute("pragma journal_mode = delete")
            (found,) = written.execute("pragma integrity_check").fetchone()
    except sqlite3.Error as error:
        raise BackupFailed(f"The state store could not be copied: {error}") from error
    if found != "ok":
        raise BackupFailed(f"The state store is damaged: {found}")


def _run(program: str, arguments: Sequence[str], failure: type[ErrataError], url: URL | None = None) -> str:
    """What one of PostgreSQL's programs prints. It takes the password from its environment."""
    command, secret = [_command(program, failure), *arguments], {}
    if url is not None:
        address = url.set(drivername="postgresql", password=None)
        command += ["--dbname", address.render_as_string(hide_password=False)]
        secret = {"PGPASSWORD": str(url.password)} if url.password is not None else {}
    done = subprocess.run(command, env={**os.environ, **secret}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise failure(f"{program} failed: {done.stderr.strip()}")
    return done.stdout


def _command(program: str, failure: type[ErrataError]) -> str:
    path = shutil.which(program)
    if path is None:
        raise failure(f"{program} was not found: install PostgreSQL's client programs")
    return path
