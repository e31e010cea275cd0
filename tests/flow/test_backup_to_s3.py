"""Backups in object storage: written by the engine, verified, restored, deleted; no credential stays."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from errata.backup.bucket import BackupBucket
from errata.backup.chains import Retention, begins_anew, chains, remove_old_chains
from errata.backup.errors import BackupFailed
from errata.backup.place import name_of
from errata.backup.verify import problems
from tests import stored_files
from tests.cases import each
from tests.errata.backup.test_chains import NOW, take
from tests.flow.test_backup import broken_event, build, captured_lines, deliver, stored_events
from tests.s3_server import BUCKET, SECRET_KEY, S3Server, s3_server
from tests.service import ROOT, Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PLACE = f"s3://{BUCKET}/errata"


@dataclass(frozen=True)
class Scenario:
    server: S3Server
    service: Service
    events: set[str]

    def command(
        self, *arguments: str | Path, environ: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        known = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return subprocess.run(
            [sys.executable, "-m", "errata", *map(str, arguments)],
            cwd=ROOT,
            env={**known, "PYTHONPATH": str(ROOT), **(self.server.environ if environ is None else environ)},
            capture_output=True,
            text=True,
            check=False,
        )

    def names(self) -> list[str]:
        return sorted({key.split("/")[1] for key in self.server.objects() if key.endswith("/manifest.json")})


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("s3")
    with s3_server() as server, running("--no-pipelines", directory=folder / "data") as service:
        found = Scenario(server, service, set())
        deliver(service, captured_lines())
        build(service)
        for _ in range(2):
            one = uuid4().hex
            deliver(service, [broken_event(one)])
            found.events.add(one)
            taken = found.command("backup", PLACE, "--data", service.directory, "--with-secret")
            assert taken.returncode == 0, taken.stderr
        yield found


def test_a_backup_in_a_bucket_is_restored(scenario: Scenario, tmp_path: Path) -> None:
    first, second = scenario.names()
    sizes = scenario.server.objects()
    of_each = [
        sum(size for key, size in sizes.items() if key.startswith(f"errata/{name}/events/"))
        for name in (first, second)
    ]
    assert 0 < of_each[1] < of_each[0]
    verified = scenario.command("backup", "verify", PLACE, "--data", scenario.service.directory)
    assert verified.returncode == 0 and "2 backups" in verified.stdout, verified.stderr
    done = scenario.command("restore", PLACE, "--data", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    with running("--no-pipelines", directory=tmp_path / "new") as restored:
        assert scenario.events <= stored_events(restored)
    known = httpx2.get(f"{scenario.service.credentials['base_url']}/api/health").json()["backup"]
    assert known["bytes"] > 0 and known["verified_at"]


def test_a_drill_reads_the_bucket(scenario: Scenario) -> None:
    done = scenario.command("backup", "drill", PLACE, "--data", scenario.service.directory)
    assert done.returncode == 0 and done.stdout.startswith("Not compared"), done.stdout + done.stderr


def test_no_credential_is_stored_or_said(scenario: Scenario) -> None:
    wrong = {**scenario.server.environ, "AWS_ENDPOINT_URL_S3": scenario.server.url}
    failed = scenario.command(
        "backup", "s3://no-such-bucket/x", "--data", scenario.service.directory, environ=wrong
    )
    assert failed.returncode == 1 and SECRET_KEY not in failed.stdout + failed.stderr, failed.stderr
    secret = SECRET_KEY.encode()
    escaped = secret.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
    stored = dict(stored_files.contents(scenario.service.directory))
    assert len(stored) > 100
    assert [path for path, content in stored.items() if secret in content or escaped in content] == []
    for key in scenario.server.objects():
        body = scenario.server.body(key)
        assert secret not in body and escaped not in body, key


@each(
    ("changes", "said"),
    [
        ({"AWS_SECRET_ACCESS_KEY": ""}, "needs AWS_ACCESS_KEY_ID"),
        ({"AWS_SESSION_TOKEN": "x"}, "doesn't accept AWS_SESSION_TOKEN"),
        ({"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9"}, "S3 did not respond"),
    ],
)
def test_what_is_missing_is_told(scenario: Scenario, changes: Mapping[str, str], said: str) -> None:
    done = scenario.command("backup", "verify", PLACE, environ={**scenario.server.environ, **changes})
    assert done.returncode == 1 and said in done.stderr, done.stderr


def test_an_interrupted_upload_is_no_backup_and_damage_is_found(scenario: Scenario, tmp_path: Path) -> None:
    client, names = scenario.server.client, scenario.names()
    now = name_of(datetime.now(UTC))
    for name in ("2020-01-01T00-00-00-000Z", now):
        client.put_object(Bucket=BUCKET, Key=f"errata/{name}/events/.backup", Body=b"x")
    done = scenario.command("backup", "verify", PLACE)
    assert done.returncode == 1 and done.stderr.count("interrupted") == 2, done.stderr
    assert scenario.command("restore", PLACE, "--backup", now, "--data", tmp_path / "a").returncode == 1
    taken = scenario.command("backup", PLACE, "--data", scenario.service.directory)
    assert taken.returncode == 0, taken.stderr
    left = {key.split("/")[1] for key in scenario.server.objects()}
    # The other one could be of another machine that is at work.
    assert left == {*scenario.names(), now}
    client.delete_object(Bucket=BUCKET, Key=f"errata/{now}/events/.backup")
    key = max(
        (each for each in scenario.server.objects() if each.startswith(f"errata/{names[0]}/events/")),
        key=lambda each: scenario.server.objects()[each],
    )
    body = scenario.server.body(key)
    client.put_object(Bucket=BUCKET, Key=key, Body=body[:-1] + bytes([body[-1] ^ 1]))
    found = scenario.command("backup", "verify", PLACE)
    assert found.returncode == 1 and "was changed" in found.stderr
    refused = scenario.command("restore", PLACE, "--data", tmp_path / "b")
    assert refused.returncode == 1 and not (tmp_path / "b").exists()
    client.put_object(Bucket=BUCKET, Key=key, Body=body)


def test_old_chains_are_deleted_in_a_bucket(scenario: Scenario) -> None:
    place = BackupBucket.opened(f"s3://{BUCKET}/old/ones", scenario.server.environ)
    made = []
    for days_ago in (13, 6):
        first = take(place, days_ago)
        made.append([first, take(place, days_ago - 1, first)])
    assert chains(place) == made and problems(place) == []
    assert begins_anew(place, Retention.of(1, timedelta(days=6)), NOW)
    assert remove_old_chains(place, 1) == made[0]
    assert chains(place) == made[1:] and problems(place) == []
    client = scenario.server.client
    client.put_object(Bucket=BUCKET, Key=f"old/ones/{made[1][0]}/state.db", Body=b"x")
    new = take(place, 0)
    assert remove_old_chains(place, 1) == made[1]
    client.put_object(Bucket=BUCKET, Key=f"old/ones/{new}/state.db", Body=b"x")
    take(place, -1)
    with pytest.raises(BackupFailed, match="under way"), place.hold(), place.hold():
        pass
