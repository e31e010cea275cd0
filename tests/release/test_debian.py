"""The Debian package of the shipper, on a bare Debian 12: installed, upgraded, removed; no event is lost."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from errata import __version__
from release.debian import debian_version
from tests.cases import each
from tests.downloaded_issues import issue_titles
from tests.release_clone import NEXT, clone_into, give_version, make
from tests.service import running

CONFIG = "etc/errata/errata.yaml"
ROTATION = "etc/logrotate.d/errata-shipper"
slow = pytest.mark.slow
builds = pytest.mark.skipif(
    shutil.which("make") is None or shutil.which("dpkg-deb") is None, reason="no make or no dpkg-deb here"
)


@each("version, expected", [("1.2.0", "1.2.0"), ("1.2.0rc1", "1.2.0~rc1"), ("1.2.0b2", "1.2.0~b2")])
def test_candidates_sort_before_their_release(version: str, expected: str) -> None:
    assert debian_version(version) == expected


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Of this version, and of the next."""
    clone = clone_into(tmp_path_factory.mktemp("deb") / "clone")
    found = list[Path]()
    for version in (__version__, NEXT):
        if version == NEXT:
            give_version(clone)
        built = make(clone, "deb")
        assert built.returncode == 0, built.stderr
        found += (clone / "dist").glob(f"errata-shipper_{debian_version(version)}_*.deb")
    this, following = found
    # From the same commit the same bytes.
    assert make(clone, "deb", f"DIST={clone / 'again'}").returncode == 0
    assert (clone / "again" / following.name).read_bytes() == following.read_bytes()
    return this, following


@slow
@builds
@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("lintian") is None, reason="no lintian on this machine")
def test_lintian_finds_no_error(packages: tuple[Path, Path]) -> None:
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(packages[0])]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


class Debian:
    """A folder with Debian 12 and its Python, and nothing more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def command(self, *words: str, has_network: bool = False) -> list[str]:
        alone = [] if has_network else ["unshare", "--net"]
        path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
        return [*alone, "chroot", str(self.folder), "env", "--ignore-environment", path, *words]

    def run(self, *words: str, has_network: bool = False) -> str:
        done = subprocess.run(
            self.command(*words, has_network=has_network), capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, package: Path) -> str:
        shutil.copy(package, self.folder / "tmp")
        return self.run("dpkg", "--install", f"/tmp/{package.name}")


@pytest.fixture
def debian(tmp_path: Path) -> Iterator[Debian]:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    folder = tmp_path / "debian"
    command = ["debootstrap", "--variant=minbase", "--include=python3", "bookworm", str(folder)]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"debootstrap can't run here: {made.stdout.strip().splitlines()[-1:]}")
    if subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    yield Debian(folder)
    shutil.rmtree(folder)


@slow
@builds
@pytest.mark.timeout(600)
def test_the_package_delivers_and_keeps_what_is_not_its_own(
    packages: tuple[Path, Path], debian: Debian
) -> None:
    this, following = packages
    told = debian.install(this)
    assert "Write /etc/errata/errata.yaml" in told
    assert debian.run("errata-shipper", "--version") == f"errata-shipper {__version__}\n"
    assert debian.run("stat", "--format=%U %G %a", "/var/log/errata", "/etc/errata") == (
        "errata errata 2770\nerrata errata 750\n"
    )
    with running("--no-pipelines", "--port", "0") as service:
        assert deliver(debian, service.credentials) == ["ValueError: from a package"]
    files = debian.folder
    written = (files / CONFIG).read_text() + "# ours\n"
    (files / CONFIG).write_text(written)
    rotation = (files / ROTATION).read_text().replace("+14", "+30")
    (files / ROTATION).write_text(rotation)
    debian.install(following)
    assert debian.run("errata-shipper", "--version") == f"errata-shipper {NEXT}\n"
    assert (files / CONFIG).read_text() == written and (files / ROTATION).read_text() == rotation
    assert debian.run("stat", "--format=%U %a", "/etc/errata", f"/{CONFIG}") == "errata 750\nerrata 600\n"
    check_removal(debian, written)


def deliver(debian: Debian, credentials: Mapping[str, str]) -> list[str]:
    """Titles of the service's issues, once it has any."""
    address, key = credentials["base_url"], credentials["api_key"]
    errata = ("runuser", "-u", "errata", "--")
    keys = (f"ERRATA_SHIPPER_API_KEY={key}", f"ERRATA_SHIPPER_APP_KEY={credentials['app_key']}")
    shipper = ("errata-shipper", "--config", f"/{CONFIG}")
    options = ("--init", "--base-url", address, "--storage-path", "/var/log/errata")
    tested = debian.run(*errata, "env", *keys, *shipper, *options, has_network=True)
    assert "Application key  accepted" in tested
    capture(credentials["app_key"], debian.folder / "var/log/errata")
    delivering = subprocess.Popen(
        debian.command(*errata, *shipper, "--record", has_network=True), stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        issues = f"{address}/api/projects/{credentials['project']}/issues"
        while not (titles := issue_titles(issues, key)):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        delivering.terminate()
        delivering.wait(30)
    return titles


def capture(app_key: str, logs: Path) -> None:
    program = (
        f"import errata_sdk, sentry_sdk; errata_sdk.init({app_key!r}, {str(logs)!r}); "
        "sentry_sdk.capture_exception(ValueError('from a package'))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, sysconfig.get_path("purelib")])}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def check_removal(debian: Debian, configuration: str) -> None:
    """Removed, its configuration stays; purged, log files stay."""
    files = debian.folder
    logs = {path.name for path in (files / "var/log/errata").glob("errata-*.log")}
    assert logs
    # As `systemctl enable` makes it.
    wanted = files / "etc/systemd/system/multi-user.target.wants/errata-shipper.service"
    wanted.parent.mkdir(parents=True, exist_ok=True)
    wanted.symlink_to("/lib/systemd/system/errata-shipper.service")
    debian.run("dpkg", "--remove", "errata-shipper")
    assert not wanted.is_symlink()
    gone = ("usr/bin/errata-shipper", "usr/lib/errata-shipper", "lib/systemd/system/errata-shipper.service")
    assert [name for name in gone if (files / name).exists()] == []
    assert (files / CONFIG).read_text() == configuration and (files / ROTATION).exists()
    debian.run("dpkg", "--purge", "errata-shipper")
    assert not (files / "etc/errata").exists() and not (files / ROTATION).exists()
    assert {path.name for path in (files / "var/log/errata").glob("errata-*.log")} == logs
    assert debian.run("id", "--name", "--user", "errata") == "errata\n"
