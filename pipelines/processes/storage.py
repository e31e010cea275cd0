"""Dagster's storage, opened often: by every tick and by every run."""

from functools import cache

from alembic.script import ScriptDirectory
from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.storage.schedules.sqlite import sqlite_schedule_storage
from dagster._core.storage.sql import get_alembic_config

STORAGES = (sqlite_run_storage, sqlite_event_log, sqlite_schedule_storage)


def keep_migrations() -> None:
    """Reads the migrations of Dagster's storage once, for this process and those forked from it. Dagster
    itself reads all of them whenever it opens a storage, which takes longer than most statements after it."""
    ScriptDirectory.from_config = cache(ScriptDirectory.from_config)  # type: ignore[method-assign]
    for storage in STORAGES:
        ScriptDirectory.from_config(get_alembic_config(storage.__file__)).as_revision_number("head")
