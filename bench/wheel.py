"""What a host gets by the wheels of errata-shipper and errata-wire: built, installed and weighed."""

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.figures import figure
from errata.downloads.building import build_wheels

AIM_MB = 10
# Of wheels, with all that is needed also for OpenTelemetry.
WHEELS_AIM_MB = 8
# What `venv` puts there itself.
OF_THE_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wire, shipper = _built(folder / "wheels")
        figure("shipper wheel", shipper.stat().st_size / 1e6, "MB")
        figure("wire wheel", wire.stat().st_size / 1e6, "MB")
        _, total = _weighed("shipper", folder / "shipper", str(wire), str(shipper))
        wheels, _ = _weighed("shipper with OpenTelemetry", folder / "otlp", str(wire), f"{shipper}[otlp]")
        if total > AIM_MB * 1e6:
            raise SystemExit(f"installed: more than {AIM_MB} MB")
        if wheels > WHEELS_AIM_MB * 1e6:
            raise SystemExit(f"wheels: more than {WHEELS_AIM_MB} MB")


def _weighed(name: str, folder: Path, wire: str, shipper: str) -> tuple[int, int]:
    """Bytes of the wheels and of what they become on disk."""
    downloaded = folder.with_name(f"{folder.name} downloaded")
    _run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(downloaded), wire, shipper)
    environment = _installed(folder, wire, shipper)
    _try(environment)
    packages = sorted(_packages(environment), key=_bytes, reverse=True)
    total = sum(map(_bytes, packages)) + _bytes(environment / "share")
    for package in packages[:6]:
        figure(f"{name}: installed {package.name}", _bytes(package) / 1e6, "MB")
    wheels = _bytes(downloaded)
    figure(f"{name}: wheels, with all it needs", wheels / 1e6, "MB")
    figure(f"{name}: installed, with all it needs", total / 1e6, "MB")
    return wheels, total


def _built(folder: Path) -> tuple[Path, Path]:
    """The wheels of errata-wire and errata-shipper."""
    build_wheels(folder)
    (wire,), (shipper,) = folder.glob("errata_wire-*.whl"), folder.glob("errata_shipper-*.whl")
    return wire, shipper


def _installed(folder: Path, *wheels: str) -> Path:
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *wheels)
    return folder


def _try(environment: Path) -> None:
    command = str(environment / "bin" / "errata-shipper")
    print(subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout.strip())
    for name in (
        "errata.yaml.example",
        "errata-shipper.service",
        "errata-shipper.socket",
        "errata-shipper.logrotate",
    ):
        assert (environment / "share" / "errata-shipper" / name).is_file(), name


def _packages(environment: Path) -> list[Path]:
    (site,) = environment.glob("lib/python*/site-packages")
    return [path for path in site.iterdir() if not path.name.startswith(OF_THE_ENVIRONMENT)]


def _bytes(path: Path) -> int:
    """On disk, compiled modules included."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
