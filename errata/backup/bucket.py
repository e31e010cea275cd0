"""Backups in object storage: the engine writes its part by itself, and what is ours is uploaded.

A local folder holds what is read more than once, and goes with the process.
"""

import atexit
import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from errata.backup.errors import BackupFailed
from errata.backup.expected import SCHEME
from errata.backup.manifest import NAME, FileCopy, Manifest, parsed_manifest
from errata.backup.object_storage import ObjectStorage
from errata.backup.place import ERASURES, name_of
from errata.warehouse.backup_disk import quoted

AT_ONCE = 8
# Another machine may be writing one; no backup takes longer.
INTERRUPTED_AFTER = timedelta(days=1)


def local_folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="errata-backup-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@dataclass(frozen=True)
class BackupBucket:
    name: str
    storage: ObjectStorage
    local: Path = field(default_factory=local_folder)

    @classmethod
    def opened(cls, url: str, environ: Mapping[str, str]) -> "BackupBucket":
        """Of `s3://bucket/prefix`. Raises BackupFailed."""
        bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
        if not bucket:
            raise BackupFailed(f"{url} has no bucket name")
        return cls(url, ObjectStorage(bucket, prefix.strip("/"), environ))

    @property
    def linked(self) -> None:
        return None

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Alone on this machine."""
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:16]
        with Path(tempfile.gettempdir(), f"errata-backup-{digest}.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupFailed(f"Another backup to {self.name} is under way") from None
            yield

    def complete(self) -> list[str]:
        return [name for name in self.storage.names() if self.storage.has(f"{name}/{NAME}")]

    def interrupted(self) -> list[str]:
        return [name for name in self.storage.names() if not self.storage.has(f"{name}/{NAME}")]

    def begin(self, now: datetime) -> str:
        for name in self.interrupted():
            if name < name_of(now - INTERRUPTED_AFTER):
                self.remove(name)
        return name_of(now)

    def remove(self, name: str) -> None:
        paths = sorted(self.storage.sizes(name), key=lambda path: path != NAME)
        self.storage.delete(name, paths[:1])
        self.storage.delete(name, paths[1:])

    def folder(self, name: str) -> Path:
        path = self.local / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def fetched(self, name: str) -> Path:
        for path in self.storage.sizes(name):
            if "/" not in path and path != NAME:
                self._fetch(name, path)
        return self.folder(name)

    def manifest(self, name: str) -> tuple[Manifest, str]:
        return parsed_manifest(self.storage.content(f"{name}/{NAME}"), name)

    def publish(self, name: str, manifest: Manifest) -> None:
        manifest.write(self.folder(name))
        self.storage.upload(self.folder(name) / NAME, f"{name}/{NAME}")

    def files(self, name: str) -> Mapping[str, FileCopy]:
        """Uploads what is ours first; every object is read again."""
        for path in self.folder(name).iterdir():
            if path.is_file():
                self.storage.upload(path, f"{name}/{path.name}")
        sizes = self.storage.sizes(name)
        checksums = self._checksums(name, list(sizes))
        return {path: FileCopy(size, checksums[path]) for path, size in sizes.items()}

    def local_files(self, name: str, paths: Sequence[str]) -> list[Path]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self._fetch, [name] * len(paths), paths))

    def erasures(self, name: str) -> Path | None:
        stored, path = f"{name}/{ERASURES}".lstrip("/"), self.folder(name) / ERASURES
        if not self.storage.has(stored):
            return None
        self.storage.download(stored, path)
        return path

    def destination(self, name: str, section: str) -> str:
        """With the credentials, which the engine neither stores nor logs."""
        known = self.storage.credentials
        values = (self.storage.url(f"{name}/{section}"), known.access_key, known.secret_key)
        return f"S3({', '.join(map(quoted, values))})"

    def damage(self, name: str, files: Mapping[str, FileCopy]) -> Iterator[str]:
        sizes = self.storage.sizes(name)
        checksums = self._checksums(name, [path for path in files if path in sizes])
        for path, copied in files.items():
            if path not in sizes:
                yield f"{path} is missing"
            elif sizes[path] != copied.bytes:
                yield f"{path} has a different size"
            elif checksums[path] != copied.sha256:
                yield f"{path} was changed"

    def _checksums(self, name: str, paths: Sequence[str]) -> dict[str, str]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = pool.map(lambda path: self.storage.checksum(f"{name}/{path}"), paths)
            return dict(zip(paths, found, strict=True))

    def _fetch(self, name: str, path: str) -> Path:
        target = self.folder(name) / path
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            self.storage.download(f"{name}/{path}", target)
        return target
