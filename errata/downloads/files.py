"""What hosts download from the service: three wheels, and the script that installs the shipper."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from errata.downloads.building import DISTRIBUTIONS, build_wheels

# In an installed wheel only: hatch_build.py puts them there.
WHEELS = Path(__file__).parent / "wheels"
SCRIPT = Path(__file__).parent / "install-shipper.sh"
SUMS_NAME = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class Download:
    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def sum_line(self) -> str:
        """As `sha256sum -c` reads it."""
        return f"{self.sha256}  {self.name}\n"


@dataclass(frozen=True, slots=True)
class Downloads:
    script: Download
    wire: Download
    shipper: Download
    sdk: Download

    @property
    def by_name(self) -> Mapping[str, Download]:
        files = (self.wire, self.shipper, self.sdk, self.script)
        sums = Download(SUMS_NAME, "".join(file.sum_line for file in files).encode())
        return {file.name: file for file in (*files, sums)}


@cache
def downloads() -> Downloads | None:
    """None in a checkout without hatchling, which `make setup` installs."""
    if WHEELS.exists():
        return _read(WHEELS)
    if find_spec("hatchling") is None:
        return None
    with TemporaryDirectory() as folder:
        build_wheels(Path(folder))
        return _read(Path(folder))


def _read(folder: Path) -> Downloads:
    wheels = (one for name in DISTRIBUTIONS for one in folder.glob(f"errata_{name}-*.whl"))
    return Downloads(*(Download(path.name, path.read_bytes()) for path in (SCRIPT, *wheels)))
