"""The place of backups that a person named, and how the engine reaches it."""

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from errata.backup.directory import BackupDirectory
from errata.backup.expected import destination, is_bucket
from errata.backup.place import BackupPlace
from errata.warehouse.backup_disk import linked


def place_of(text: str) -> BackupPlace:
    """Of a directory, or of `s3://bucket/prefix`. Raises BackupFailed where a bucket cannot be used."""
    if not is_bucket(text):
        return BackupDirectory(Path(destination(text)))
    # Imported only here: boto3 is not installed everywhere, and takes a third of a second.
    from errata.backup.bucket import BackupBucket

    return BackupBucket.opened(destination(text), os.environ)


def reached(run_directory: Path, place: BackupPlace) -> AbstractContextManager[None]:
    """While this lasts, the embedded engine reaches the place."""
    return linked(run_directory, place.linked) if place.linked else nullcontext()
