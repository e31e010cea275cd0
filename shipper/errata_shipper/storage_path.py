"""Whether the shipper can work in the storage path, in the specification's words."""

import os
import tempfile
from pathlib import Path

from errata_shipper.log_file import find_files, storage_path_refused


def check_storage_path(path: Path) -> None:
    """Raises StoragePathUnusable unless the log files can be read and the tracker can be written."""
    for file in find_files(path):
        if not os.access(file.path, os.R_OK):
            raise storage_path_refused(file.path, PermissionError(13, "Permission denied reading logs"))
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        refusal = OSError(error.errno, f"{error.strerror} writing tracker.json")
        raise storage_path_refused(path, refusal) from error
