"""Recording runs with backups in the state store of the service that they belong to."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from errata.backup.source import ADMIN_URL, STATE_URL
from errata.backup.state_store import SQLITE
from errata.errors import ErrataError
from errata.state.backup_runs import BackupRun, Kind, Outcome, record_backup_run
from errata.state.database import Database, parsed_url
from errata.up.data_directory import DataDirectory


class Recorded:
    """A run under way; `run` is replaced as it goes on."""

    def __init__(self, run: BackupRun) -> None:
        self.run = run

    def tell(self, *, name: str = "", byte_count: int = 0) -> None:
        self.run = replace(self.run, name=name, bytes=byte_count)

    def judge(self, outcome: Outcome, detail: str) -> None:
        self.run = replace(self.run, outcome=outcome, detail=detail)


@contextmanager
def recorded(state_url: str, kind: Kind, destination: str) -> Iterator[Recorded]:
    """Records the run when it ends, as failed if it raises. An empty URL: it is not recorded."""
    began_at = datetime.now(UTC)
    recorded = Recorded(BackupRun(kind=kind, destination=destination, began_at=began_at, ended_at=began_at))
    try:
        yield recorded
    except Exception as error:
        recorded.judge(Outcome.FAILED, str(error) if isinstance(error, ErrataError) else type(error).__name__)
        raise
    except BaseException:
        # Somebody stopped it.
        state_url = ""
        raise
    finally:
        _store(state_url, replace(recorded.run, ended_at=datetime.now(UTC)))


def state_url_of(environ: Mapping[str, str], data: Path) -> str:
    """Of the service whose backups these are; empty where there is none on this machine."""
    if url := environ.get(STATE_URL):
        return url
    directory = DataDirectory(data.resolve())
    return "" if environ.get(ADMIN_URL) or not directory.has_state else directory.state_url


def _store(state_url: str, run: BackupRun) -> None:
    if not state_url or not _is_there(state_url):
        return
    try:
        with closing(Database(state_url)) as database:
            record_backup_run(database, run)
    except (ErrataError, SQLAlchemyError) as error:
        # The backup is what it is, whoever knows of it.
        sys.stderr.write(f"errata: the result couldn't be recorded in the service: {type(error).__name__}\n")


def _is_there(state_url: str) -> bool:
    """To open SQLite's file would make it."""
    parsed = parsed_url(state_url)
    return parsed.get_backend_name() != SQLITE or Path(parsed.database or "").exists()
