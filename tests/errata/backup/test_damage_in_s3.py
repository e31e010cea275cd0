"""Any object of a backup in a bucket that is missing, changed, cut, empty or another's is named, and nothing
is restored."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from errata.backup.bucket import BackupBucket
from errata.backup.errors import BackupDamaged, RestoreRefused
from errata.backup.manifest import NAME
from errata.backup.place import ERASURES
from errata.backup.restore import restore
from errata.backup.take import Options, back_up
from errata.backup.verify import problems
from tests.errata.backup.test_chains import take
from tests.errata.backup.test_damage import DAMAGES, restored_events
from tests.s3_server import BUCKET, S3Server, s3_server
from tests.small_service import small_service

Damage = Callable[[bytes, bytes], bytes | None]


@dataclass(frozen=True)
class Bucket:
    """`others`: what another file holds."""

    server: S3Server
    client: Any
    place: BackupBucket
    contents: Mapping[str, bytes]
    others: bytes

    @classmethod
    def of(cls, server: S3Server, url: str) -> "Bucket":
        prefix = url.removeprefix(f"s3://{BUCKET}/")
        contents = {key: server.body(key) for key in server.objects() if key.startswith(f"{prefix}/")}
        others = max(contents.values(), key=len)
        return cls(server, server.client, BackupBucket.opened(url, server.environ), contents, others)

    def write(self, key: str, content: bytes | None) -> None:
        if content is None:
            self.client.delete_object(Bucket=BUCKET, Key=key)
        else:
            self.client.put_object(Bucket=BUCKET, Key=key, Body=content)

    def damaged(self, key: str, damage: Damage) -> bytes | None:
        content = self.contents[key]
        return damage(content, self.others if content != self.others else b"another")

    def path(self, key: str) -> str:
        """As messages name it."""
        path = key.partition(f"{self.place.name.removeprefix(f's3://{BUCKET}/')}/")[2].partition("/")[2]
        return "manifest" if path == NAME else path

    def assert_refused(self, key: str, damage: Damage, target: Path) -> None:
        changed = self.damaged(key, damage)
        if changed == self.contents[key]:
            return
        self.write(key, changed)
        found = problems(self.place)
        assert any(self.path(key) in problem for problem in found), (key, damage.__name__, found)
        with pytest.raises((BackupDamaged, RestoreRefused)) as refused:
            restore(self.server.environ, self.place.name, "", target)
        assert self.path(key) in str(refused.value), (key, damage.__name__, refused.value)
        assert not target.exists()
        self.write(key, self.contents[key])


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as found:
        yield found


@pytest.fixture
def environ(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are opened with the environment of the process."""
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environ")
def test_damage_of_any_object_is_named_and_nothing_is_restored(server: S3Server, tmp_path: Path) -> None:
    """A chain of two backups with each of our files."""
    place = BackupBucket.opened(f"s3://{BUCKET}/short", server.environ)
    take(place, 0, take(place, 1))
    bucket = Bucket.of(server, place.name)
    assert {bucket.path(key) for key in bucket.contents} == {"state.db", ERASURES, "manifest"}
    for key, damage in zip(bucket.contents, cycle(DAMAGES), strict=False):
        bucket.assert_refused(key, damage, tmp_path / "new")
    assert problems(place) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("environ")
def test_damage_of_every_object_of_the_engine_is_named_and_nothing_is_restored(
    server: S3Server, tmp_path: Path
) -> None:
    url = f"s3://{BUCKET}/whole"
    with small_service(tmp_path / "data") as service:
        for options in (Options(), Options(with_secret=True)):
            assert back_up({}, tmp_path / "data", url, options) == 0
            service.erase()
        kept = service.kept
    bucket = Bucket.of(server, url)
    assert len(bucket.contents) > 100
    # Each object alone, by one kind of damage in turn, and those that are ours by every kind.
    for number, key in enumerate(bucket.contents):
        is_ours = "/" not in bucket.path(key)
        for damage in DAMAGES if is_ours else (DAMAGES[number % len(DAMAGES)],):
            bucket.assert_refused(key, damage, tmp_path / "new")
    # Every object by every kind, all at once: each is named.
    for damage in DAMAGES:
        changed = {
            key: bucket.damaged(key, damage) for key in bucket.contents if bucket.path(key) != "manifest"
        }
        for key, content in changed.items():
            bucket.write(key, content)
        found = problems(bucket.place)
        for key, content in changed.items():
            if content != bucket.contents[key]:
                assert any(bucket.path(key) in problem for problem in found), (key, damage.__name__)
            bucket.write(key, bucket.contents[key])
    assert problems(bucket.place) == []
    assert restored_events(url, "", tmp_path / "restored") == {kept}
