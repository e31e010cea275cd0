"""A wheel or an sdist: its files by name, and the fields of its metadata."""

import tarfile
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from release.distributions import Distribution
from release.errors import ReleaseRefused


@dataclass(frozen=True, slots=True)
class Archive:
    path: Path
    distribution: Distribution
    # In an sdist without its first folder.
    files: dict[str, bytes]

    @property
    def is_wheel(self) -> bool:
        return self.path.suffix == ".whl"

    @property
    def metadata(self) -> Message:
        names = [name for name in self.files if name == "PKG-INFO" or name.endswith(".dist-info/METADATA")]
        if len(names) != 1:
            raise ReleaseRefused(f"{self.path.name} has {len(names)} files of metadata, not 1")
        return BytesParser().parsebytes(self.files[names[0]])


def read_archive(path: Path, distribution: Distribution) -> Archive:
    try:
        files = _zipped(path) if path.suffix == ".whl" else _tarred(path)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
        raise ReleaseRefused(f"{path.name} can't be read: {error}") from error
    return Archive(path, distribution, files)


def _zipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        names = [one for one in archive.namelist() if not one.endswith("/")]
        return {name: archive.read(name) for name in names}


def _tarred(path: Path) -> dict[str, bytes]:
    files = dict[str, bytes]()
    with tarfile.open(path) as archive:
        for member in archive:
            first, _, name = member.name.partition("/")
            content = archive.extractfile(member) if member.isfile() else None
            if content is None or first != path.name.removesuffix(".tar.gz"):
                raise ReleaseRefused(f"{path.name} has {member.name}, which isn't a file of its folder")
            files[name] = content.read()
    return files
