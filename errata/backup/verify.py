"""Whether backups are what their manifests say."""

from collections.abc import Iterator

from errata.backup.erasure_list import chosen_list
from errata.backup.errors import BackupDamaged
from errata.backup.manifest import NAME, Base, Manifest, ManifestUnreadable
from errata.backup.place import BackupPlace


def problems(directory: BackupPlace) -> list[str]:
    """Everything wrong with the backups in a directory; none: all can be restored."""
    names = directory.complete()
    found = [
        f"{name}: interrupted; {NAME} is missing, and the next backup removes it"
        for name in directory.interrupted()
    ]
    for name in names:
        found += [f"{name}: {problem}" for problem in _problems(directory, name)]
    if not names:
        found.append("no complete backup")
    return found or _problems_of_list(directory)


def _problems_of_list(directory: BackupPlace) -> list[str]:
    """Of that of version 0.5.0, which no manifest names."""
    try:
        chosen_list(directory)
    except BackupDamaged as error:
        return list(error.problems)
    return []


def require_sound(directory: BackupPlace, name: str) -> Manifest:
    """Checks a backup and its bases, and returns its manifest. Raises BackupDamaged."""
    found = [f"{one}: {problem}" for one in chain(directory, name) for problem in _problems(directory, one)]
    if found:
        raise BackupDamaged(directory.name, found)
    return directory.manifest(name)[0]


def chain(directory: BackupPlace, name: str) -> list[str]:
    """The backup and its bases, newest first, as far as manifests can be read."""
    names = [name]
    # One that names itself, or a later one, has another's manifest.
    while (base := _base(directory, names[-1])) and base.name not in names:
        names.append(base.name)
    return names


def _base(directory: BackupPlace, name: str) -> Base | None:
    try:
        return directory.manifest(name)[0].base
    except (ManifestUnreadable, OSError):
        return None


def _problems(directory: BackupPlace, name: str) -> Iterator[str]:
    try:
        manifest, _ = directory.manifest(name)
    except FileNotFoundError:
        yield f"{NAME} is missing"
        return
    except (ManifestUnreadable, OSError) as error:
        yield str(error)
        return
    if manifest.base is not None:
        yield from _problems_of_base(directory, manifest.base)
    yield from directory.damage(name, manifest.files)


def _problems_of_base(directory: BackupPlace, base: Base) -> Iterator[str]:
    """Whether it is there; it is checked by itself."""
    try:
        _, sha256 = directory.manifest(base.name)
    except (ManifestUnreadable, OSError):
        yield f"its base {base.name} is missing or damaged"
        return
    if sha256 != base.sha256:
        yield f"its base {base.name} is a different backup"
