"""What a host gets by the wheels of errata-shipper and errata-wire: built, installed and weighed."""

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.figures import figure
from errata.downloads.building import build_wheels

AIM_MB = 10
# What `venv` puts there itself.
OF_THE_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wire, shipper = _built(folder / "wheels")
        environment = _installed(folder / "environment", wire, shipper)
        _try(environment)
        packages = sorted(_packages(environment), key=_bytes, reverse=True)
        total = sum(map(_bytes, packages)) + _bytes(environment / "share")
        figure("shipper wheel", shipper.stat().st_size / 1e6, "MB")
        figure("wire wheel", wire.stat().st_size / 1e6, "MB")
        for package in packages[:6]:
            figure(f"installed {package.name}", _bytes(package) / 1e6, "MB")
        figure("shipper installed, with all it needs", total / 1e6, "MB")
        if total > AIM_MB * 1e6:
            raise SystemExit(f"more than {AIM_MB} MB")


def _built(folder: Path) -> tuple[Path, Path]:
    """The wheels of errata-wire and errata-shipper."""
    build_wheels(folder)
    (wire,), (shipper,) = folder.glob("errata_wire-*.whl"), folder.glob("errata_shipper-*.whl")
    return wire, shipper


def _installed(folder: Path, *wheels: Path) -> Path:
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *map(str, wheels))
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
