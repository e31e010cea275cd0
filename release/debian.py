"""`make deb`: the shipper as a package for Debian 12, which brings the Python packages that it needs."""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.parser import BytesParser
from email.utils import format_datetime
from hashlib import md5
from pathlib import Path

from release.building import archives_of, build
from release.command import run
from release.distributions import ROOT, SHIPPER, WIRE
from release.environment import chosen_by_pip
from release.errors import ReleaseRefused
from release.locked import read_locked
from release.sums import NAME, write_sums
from release.version import common_version

FILES = Path(__file__).parent / "deb"
LIBRARY = "usr/lib/errata-shipper"
DOCUMENTS = "usr/share/doc/errata-shipper"
CONFFILES = ("etc/errata/errata.yaml.example", "etc/logrotate.d/errata-shipper")
# Debian's architecture, as wheels name it.
ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}
# Debian 12 has glibc 2.36.
GLIBC = (36, 34, 28, 17)
PYTHON = "3.11"
LICENSE = re.compile("licen[cs]e|copying|notice", re.IGNORECASE)
APACHE = "Apache License, Version 2.0: on Debian systems it is in /usr/share/common-licenses/Apache-2.0.\n"
PROGRAMS = ("postinst", "prerm", "postrm")


def main() -> int:
    parser = argparse.ArgumentParser(prog="release.debian", description=__doc__)
    parser.add_argument(
        "--dist", type=Path, default=ROOT / "dist", help="folder of the package (default: dist)"
    )
    chosen = parser.parse_args()
    try:
        package = build_package(ROOT, chosen.dist.absolute())
        if (package.parent / NAME).exists():
            write_sums(package.parent)
    except ReleaseRefused as refused:
        sys.stderr.write("".join(f"not built: {problem}\n" for problem in refused.problems))
        return 1
    sys.stdout.write(f"{package}\n")
    return 0


def build_package(root: Path, dist: Path) -> Path:
    """Of the commit and its time the same bytes, wherever it is built."""
    version = common_version(root)
    architecture = run("dpkg", "--print-architecture").strip()
    if architecture not in ARCHITECTURES:
        raise ReleaseRefused(f"no wheels for {architecture}; known are {', '.join(ARCHITECTURES)}")
    built_at = int(run("git", "log", "-1", "--format=%ct", cwd=root))
    dist.mkdir(parents=True, exist_ok=True)
    package = dist / f"{SHIPPER.name}_{debian_version(version)}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary) / "tree"
        _install_library(root, Path(temporary), tree, version, ARCHITECTURES[architecture])
        _add_files(root, tree, version, built_at)
        _add_control(tree, version, architecture)
        _set_times_and_modes(tree, built_at)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(built_at)}
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(package)]
        built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if built.returncode:
        raise ReleaseRefused(f"dpkg-deb failed: {built.stderr.strip()}")
    return package


def debian_version(version: str) -> str:
    """A candidate comes before its release: 1.2.0~rc1."""
    return re.sub(r"(?<=\d)(a|b|rc)", r"~\1", version)


def _install_library(root: Path, temporary: Path, tree: Path, version: str, machine: str) -> None:
    """Refuses files that constraints.txt doesn't lock."""
    wheels = temporary / "wheels"
    wheels.mkdir()
    build(root, wheels, (WIRE, SHIPPER))
    wire, shipper = (archives_of(wheels, one, version)[0] for one in (WIRE, SHIPPER))
    platforms = (f"manylinux_2_{minor}_{machine}" for minor in GLIBC)
    chosen_by_pip(
        Path(sys.executable), read_locked(root / "constraints.txt"),
        "--target", str(tree / LIBRARY), "--python-version", PYTHON, "--implementation", "cp",
        *(f"--platform={one}" for one in (*platforms, f"manylinux2014_{machine}")),
        str(wire), f"{shipper}[otlp]",
    )  # fmt: skip
    for name in ("bin", "share"):
        shutil.rmtree(tree / LIBRARY / name, ignore_errors=True)
    for name in ("RECORD", "direct_url.json", "REQUESTED", "INSTALLER"):
        for path in (tree / LIBRARY).glob(f"*.dist-info/{name}"):
            path.unlink()
    # Debian wants libyaml from its own package; the shipper reads its short file in Python.
    for path in (tree / LIBRARY).glob("yaml/_yaml.*.so"):
        path.unlink()
    if strip := shutil.which("strip"):
        for path in (tree / LIBRARY).rglob("*.so"):
            run(strip, "--strip-unneeded", path)


def _add_files(root: Path, tree: Path, version: str, built_at: int) -> None:
    source = SHIPPER.path(root)
    _write(tree / "usr/bin/errata-shipper", (FILES / "errata-shipper").read_text())
    for kind in ("service", "socket"):
        unit = (source / f"errata-shipper.{kind}").read_text()
        # Its first lines say how to install it by hand.
        text = "[Unit]" + unit.split("[Unit]", 1)[1]
        _write(tree / f"lib/systemd/system/errata-shipper.{kind}", _with_paths(text))
    rotation = (source / "errata-shipper.logrotate").read_text()
    rotation = rotation.replace("# Copy to /etc/logrotate.d/errata-shipper: it renames", "# Renames")
    _write(tree / "etc/logrotate.d/errata-shipper", _with_paths(rotation))
    _write(tree / "etc/errata/errata.yaml.example", (source / "errata.yaml.example").read_text())
    _write(tree / DOCUMENTS / "copyright", "\n".join(_copyright(tree, root)))
    _pack(tree / "usr/share/man/man1/errata-shipper.1.gz", (FILES / "errata-shipper.1").read_text())
    moment = format_datetime(datetime.fromtimestamp(built_at, UTC))
    _pack(
        tree / DOCUMENTS / "changelog.gz",
        f"errata-shipper ({debian_version(version)}) stable; urgency=medium\n\n"
        f"  * Version {version}: see CHANGELOG.md of Errata.\n\n"
        f" -- {_maintainer()}  {moment}\n",
    )


def _with_paths(text: str) -> str:
    return text.replace("/usr/local/bin/", "/usr/bin/")


def _copyright(tree: Path, root: Path) -> Iterator[str]:
    """Our license, and that of each package in the library."""
    yield (root / "shipper/NOTICE").read_text()
    yield APACHE
    for information in sorted((tree / LIBRARY).glob("*.dist-info")):
        fields = BytesParser().parsebytes((information / "METADATA").read_bytes())
        texts = [
            path for path in sorted(information.rglob("*")) if path.is_file() and LICENSE.match(path.name)
        ]
        if not fields["Name"].startswith("errata-"):
            yield f"\n==== {fields['Name']} {fields['Version']} ====\n"
            yield from (APACHE if "Apache License\n" in text else text for text in map(_text, texts))
            if not texts:
                yield f"License: {fields['License-Expression'] or fields['License']}\n"
        for path in texts:
            path.unlink()
        shutil.rmtree(information / "licenses", ignore_errors=True)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _add_control(tree: Path, version: str, architecture: str) -> None:
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    control = tree / "DEBIAN"
    size = sum(-(-path.stat().st_size // 1024) for path in files)
    text = (FILES / "control").read_text()
    filled = text.format(version=debian_version(version), architecture=architecture, kibibytes=size)
    _write(control / "control", filled)
    _write(control / "conffiles", "".join(f"/{name}\n" for name in CONFFILES))
    sums = (f"{md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)
    _write(control / "md5sums", "".join(sums))
    for name in PROGRAMS:
        _write(control / name, (FILES / name).read_text())


def _set_times_and_modes(tree: Path, built_at: int) -> None:
    programs = {tree / "usr/bin/errata-shipper", *(tree / "DEBIAN" / name for name in PROGRAMS)}
    for path in (tree, *tree.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
        os.utime(path, (built_at, built_at))


def _maintainer() -> str:
    (line,) = (one for one in (FILES / "control").read_text().splitlines() if one.startswith("Maintainer: "))
    return line.removeprefix("Maintainer: ")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _pack(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    sys.exit(main())
