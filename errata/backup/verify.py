"""Whether backups are what their manifests say."""

from collections.abc import Iterator
from pathlib import Path

from errata.backup.directory import BackupDirectory
from errata.backup.errors import BackupDamaged
from errata.backup.manifest import Base, Manifest, ManifestUnreadable, checksum, read_manifest


def problems(directory: BackupDirectory) -> list[str]:
    """Everything wrong with the backups in a directory; none: all can be restored."""
    names = directory.complete()
    found = [
        f"{name}: interrupted; it has no manifest, and the next backup removes it"
        for name in directory.interrupted()
    ]
    for name in names:
        found += [f"{name}: {problem}" for problem in _problems(directory, name)]
    if not names:
        found.append("no complete backup")
    return found


def require_sound(directory: BackupDirectory, name: str) -> Manifest:
    """Checks a backup and its bases, and returns its manifest. Raises BackupDamaged."""
    found = [f"{one}: {problem}" for one in chain(directory, name) for problem in _problems(directory, one)]
    if found:
        raise BackupDamaged(directory.path, found)
    return read_manifest(directory.folder(name))[0]


def chain(directory: BackupDirectory, name: str) -> list[str]:
    """The backup and its bases, newest first, as far as manifests can be read."""
    names = [name]
    while base := _base(directory.folder(names[-1])):
        names.append(base.name)
    return names


def _base(folder: Path) -> Base | None:
    try:
        return read_manifest(folder)[0].base
    except (ManifestUnreadable, OSError):
        return None


def _problems(directory: BackupDirectory, name: str) -> Iterator[str]:
    folder = directory.folder(name)
    try:
        manifest, _ = read_manifest(folder)
    except FileNotFoundError:
        yield "it is missing"
        return
    except (ManifestUnreadable, OSError) as error:
        yield str(error)
        return
    if manifest.base is not None:
        yield from _problems_of_base(directory, manifest.base)
    for path, copied in manifest.files.items():
        try:
            if (folder / path).stat().st_size != copied.bytes:
                yield f"{path} has another size"
            elif checksum(folder / path) != copied.sha256:
                yield f"{path} was changed"
        except FileNotFoundError:
            yield f"{path} is missing"
        except OSError as error:
            yield f"{path} can't be read: {error.strerror}"


def _problems_of_base(directory: BackupDirectory, base: Base) -> Iterator[str]:
    """Whether it is there; it is checked by itself."""
    try:
        _, sha256 = read_manifest(directory.folder(base.name))
    except (ManifestUnreadable, OSError):
        yield f"its base {base.name} is missing or damaged"
        return
    if sha256 != base.sha256:
        yield f"its base {base.name} is another backup"
