"""Why a backup was not taken, cannot be trusted, or was not restored."""

from collections.abc import Sequence

from errata import __version__
from errata.errors import ErrataError


class BackupFailed(ErrataError):
    """The backup was not completed; what was written of it is not used."""

    code = "backup_failed"


class BackupDamaged(ErrataError):
    """Files of a backup are missing or differ from its manifest."""

    code = "backup_damaged"

    def __init__(self, directory: str, problems: Sequence[str]) -> None:
        super().__init__(f"The backups in {directory} can't be used: " + "; ".join(problems))
        self.problems = tuple(problems)


class RestoreRefused(ErrataError):
    """The backup does not fit the place to restore it to, or the place is not empty."""

    code = "restore_refused"


class TooNew(RestoreRefused):
    """The backup has something that only a newer version knows."""

    def __init__(self, version: str, what: str) -> None:
        super().__init__(
            f"The backup was written by Errata {version}, and this version, {__version__}, does not know its "
            f"{what}. Restore it with the version that wrote it"
        )


class RestoreIncomplete(ErrataError):
    """A restored table lacks rows of the backup."""

    code = "restore_incomplete"

    def __init__(self, table: str, expected: int, found: int) -> None:
        super().__init__(f"{table} has {found} rows after the restore, not the backup's {expected}")
        self.table = table


class DrillFailed(ErrataError):
    """A backup could not be restored and asked in a restore drill."""

    code = "drill_failed"
