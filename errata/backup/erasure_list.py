"""The list of erasures that a restore carries out again, whichever backup of the place is restored."""

from dataclasses import dataclass
from pathlib import Path

from errata.backup.errors import BackupDamaged
from errata.backup.manifest import ManifestUnreadable
from errata.backup.place import ERASURES, BackupPlace
from errata.warehouse.queries.erasures.listing import is_list

NONE = "none"
REMEDY = (
    f"Restore it, or pass another list with --erasures FILE. With --erasures {NONE}, data erased after the "
    "backup comes back"
)


@dataclass(frozen=True)
class ErasureList:
    """`caution`: a line about what could not be checked; empty: nothing."""

    path: Path
    caution: str = ""


NO_LIST = ErasureList(Path(), "No erasures were reapplied: data erased after the backup is back\n")


def chosen_list(place: BackupPlace, chosen: str = "") -> ErasureList:
    """The list that a person named, or else the newest one of the place. Raises BackupDamaged."""
    if chosen == NONE:
        return NO_LIST
    return _readable(place, Path(chosen), chosen) if chosen else _newest(place)


def _newest(place: BackupPlace) -> ErasureList:
    """Each list has all erasures so far, and the last backup the newest one, even if it was interrupted."""
    complete = place.complete()
    for name in sorted((*complete, *place.interrupted()), reverse=True):
        path = place.erasures(name)
        if name not in complete:
            if path is not None:
                return _readable(place, path, f"{name}/{ERASURES}")
            continue
        try:
            manifest, _ = place.manifest(name)
        except (ManifestUnreadable, OSError) as error:
            raise BackupDamaged(place.name, [f"the list of erasures of {name}: {error}. {REMEDY}"]) from error
        copied = manifest.files.get(ERASURES)
        if copied is None:
            return _of_place(place, manifest.version)
        damage = list(place.damage(name, {ERASURES: copied}))
        if path is None or damage:
            raise BackupDamaged(place.name, [f"{name}/{damage[0]}. {REMEDY}"])
        return ErasureList(path)
    raise BackupDamaged(place.name, ["no complete backup"])


def _of_place(place: BackupPlace, version: str) -> ErasureList:
    """The one list of all backups, as version 0.5.0 kept it: without a checksum."""
    path = place.erasures("")
    if path is None:
        raise BackupDamaged(place.name, [f"{ERASURES} is missing. {REMEDY}"])
    caution = (
        f"Errata {version} recorded no checksum of {ERASURES}: it is readable, but can't be verified as the "
        "last list\n"
    )
    return ErasureList(_readable(place, path, ERASURES).path, caution)


def _readable(place: BackupPlace, path: Path, name: str) -> ErasureList:
    if not path.is_file() or not is_list(path):
        raise BackupDamaged(place.name, [f"{name} is not a readable list of erasures. {REMEDY}"])
    return ErasureList(path)
