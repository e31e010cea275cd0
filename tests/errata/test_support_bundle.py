"""`errata support-bundle` beside a real service, whose secrets it must not hold."""

import json
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.service import ROOT, running

PLANTED = {
    "AWS_SECRET_ACCESS_KEY": "planted-secret-of-the-bucket",
    "ERRATA_BACKUP_DIR": "s3://errata-backups/here",
    "ERRATA_MAIL_PASSWORD": "hunter2-of-the-mail-server",
    "ERRATA_PREVIOUS_SECRET": "a-former-secret-of-more-than-32-characters",
}


def bundle(data: Path, file: Path, settings: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", "support-bundle", str(file), "--data", str(data)],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def contents(file: Path) -> dict[str, str]:
    with tarfile.open(file) as found:
        return {
            entry.name.removeprefix("errata-support/"): found.extractfile(entry).read().decode()  # type: ignore[union-attr]
            for entry in found.getmembers()
        }


@pytest.mark.slow
def test_a_bundle_tells_much_and_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "support.tar.gz"
    with running("--no-pipelines") as service:
        passwords = json.loads((service.directory / "run" / "warehouse-passwords.json").read_text())
        secrets = {
            *(value for name, value in PLANTED.items() if name != "ERRATA_BACKUP_DIR"),
            *passwords.values(),
            *(service.credentials[name] for name in ("api_key", "app_key", "password")),
            (service.directory / "secret").read_text().strip(),
        }
        with (service.directory / "run" / "web.log").open("a") as log:
            log.write("x" * 300_000 + "\n")
            log.writelines(f"Authorization: Bearer {secret}, again {secret!r}\n" for secret in secrets)
            log.write("password=never-seen-before-1234 postgresql://errata:never-seen-either@db/errata\n")
        done = bundle(service.directory, file, PLANTED)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = contents(file)
    assert {"doctor.txt", "versions.txt", "settings.txt", "tables.json", "logs/web.log"} <= found.keys()
    everything = "\n".join(found.values())
    assert [secret for secret in secrets if secret in everything] == []
    assert "never-seen" not in everything
    assert "ERRATA_MAIL_PASSWORD=[FILTERED]" in found["settings.txt"]
    assert "chdb-core 26" in found["versions.txt"] and "responding" not in found["doctor.txt"]
    tables = {row["table"] for row in json.loads(found["tables.json"])}
    assert "errata_ops.migrations" in tables, tables
    assert "Bearer" in found["logs/web.log"] and len(found["logs/web.log"]) < 200_000


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "support.tar.gz"
    file.write_text("mine")
    done = bundle(tmp_path / "data", file, {})
    assert done.returncode == 1 and "exists already" in done.stderr and file.read_text() == "mine"


def test_without_a_service_it_says_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "support.tar.gz"
    done = bundle(tmp_path / "nothing", file, {})
    assert done.returncode == 0, done.stderr
    found = contents(file)
    assert "No service is running" in found["tables.json"] and not (tmp_path / "nothing").exists()
