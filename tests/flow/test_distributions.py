"""`make dist`: the wheels, installed in an environment of their own, deliver an error to a real service."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
import zipfile
from pathlib import Path

import pytest

from tests.downloaded_issues import issue_titles
from tests.service import ROOT, running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("make") is None, reason="builds by make"),
]
FOLDERS = {
    "errata_server": ROOT,
    "errata_sdk": ROOT / "sdk",
    "errata_shipper": ROOT / "shipper",
    "errata_wire": ROOT / "wire",
}
DISTRIBUTIONS = tuple(FOLDERS)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("dist")
    own = Path(sys.executable).parent
    # The environment of this test is set up already, so `setup` and its stamp count as made.
    command = [
        "make",
        "-o",
        "setup",
        "-o",
        f"{own.parent}/.installed",
        "dist",
        f"BIN={own}",
        f"DIST={folder}",
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert len(list(folder.glob("*.tar.gz"))) == len(DISTRIBUTIONS)
    return {name: next(folder.glob(f"{name}-*.whl")) for name in DISTRIBUTIONS}


def run(*command: object, **variables: str) -> str:
    # Dependencies come from this environment. Its own packages of ours are links (.pth),
    # which are followed in a site directory alone.
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib"), **variables}
    done = subprocess.run(
        [str(part) for part in command], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_server_wheel_has_every_file_of_its_packages(wheels: dict[str, Path]) -> None:
    packages = ("errata", "api", "pipelines", "dashboards", "warehouse_sql")
    expected = {
        str(path.relative_to(ROOT))
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    docs = ROOT / "docs"
    expected |= {
        f"errata/documentation/files/{path.relative_to(docs)}" for path in docs.rglob("*") if path.is_file()
    }
    assert expected <= set(zipfile.ZipFile(wheels["errata_server"]).namelist())


def test_the_server_wheel_serves_the_others(wheels: dict[str, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(wheels["errata_server"]) as server:
        served = {
            Path(name).name: server.read(name)
            for name in server.namelist()
            if name.startswith("errata/downloads/wheels/")
        }
        server.extractall(tmp_path)
    others = [wheels[name] for name in DISTRIBUTIONS[1:]]
    assert served == {wheel.name: wheel.read_bytes() for wheel in others}
    program = (
        "from errata.downloads import files; "
        "print(files.WHEELS, files.downloads().by_name['SHA256SUMS'].content)"
    )
    offered = run(sys.executable, "-P", "-c", program, PYTHONPATH=str(tmp_path))
    assert offered.startswith(f"{tmp_path}/errata/")
    assert all(hashlib.sha256(content).hexdigest() in offered for content in served.values())


def test_every_wheel_holds_license_and_notice(wheels: dict[str, Path]) -> None:
    for name, wheel in wheels.items():
        folder = FOLDERS[name]
        with zipfile.ZipFile(wheel) as archive:
            for file in ("LICENSE", "NOTICE"):
                (held,) = [one for one in archive.namelist() if one.endswith(f".dist-info/licenses/{file}")]
                assert archive.read(held) == (folder / file).read_bytes()


def test_every_sdist_builds_the_same_wheel_elsewhere(wheels: dict[str, Path], tmp_path: Path) -> None:
    for name, wheel in wheels.items():
        (sdist,) = wheel.parent.glob(f"{name}-*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path, filter="data")
        unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
        assert {"LICENSE", "NOTICE", "PKG-INFO"} <= {path.name for path in unpacked.iterdir()}
        subprocess.run(
            [
                sys.executable,
                "-m",
                "hatchling",
                "build",
                "--target",
                "wheel",
                "--directory",
                tmp_path / "built",
            ],
            cwd=unpacked,
            check=True,
            capture_output=True,
        )
        again = tmp_path / "built" / wheel.name
        assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()
        assert again.read_bytes() == wheel.read_bytes()


def test_installed_wheels_deliver_an_error(wheels: dict[str, Path], tmp_path: Path) -> None:
    fresh = tmp_path / "venv"
    venv.create(fresh)
    run(
        sys.executable, "-m", "pip", "--python", fresh / "bin/python", "install",
        "--no-deps", "--no-index", *(wheels[name] for name in DISTRIBUTIONS[1:]),
    )  # fmt: skip
    shipper = fresh / "bin/errata-shipper"
    version = wheels["errata_shipper"].name.split("-")[1]
    assert run(shipper, "--version") == f"errata-shipper {version}\n"
    config, logs = tmp_path / "errata.yaml", tmp_path / "logs"
    with running("--no-pipelines", "--port", "0") as service:
        credentials = service.credentials
        base_url, api_key = credentials["base_url"], credentials["api_key"]
        run(
            shipper, "--config", config, "--init", "--base-url", base_url, "--storage-path", logs,
            ERRATA_SHIPPER_API_KEY=api_key, ERRATA_SHIPPER_APP_KEY=credentials["app_key"],
        )  # fmt: skip
        program = (
            f"import errata_sdk, sentry_sdk; errata_sdk.init({credentials['app_key']!r}, {str(logs)!r}); "
            "sentry_sdk.capture_exception(ValueError('from a wheel'))"
        )
        run(fresh / "bin/python", "-c", program)
        delivering = subprocess.Popen(
            [str(shipper), "--config", str(config), "--record"],
            env={**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")},
            stderr=subprocess.DEVNULL,
        )
        try:
            address = f"{base_url}/api/projects/{credentials['project']}/issues"
            deadline = time.monotonic() + 60
            while not (titles := issue_titles(address, api_key)):
                assert time.monotonic() < deadline
                time.sleep(0.2)
        finally:
            delivering.terminate()
            delivering.wait(30)
    assert titles == ["ValueError: from a wheel"]
