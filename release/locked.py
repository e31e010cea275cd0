"""Versions and hashes of constraints.txt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.errors import ReleaseRefused

HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Locked:
    # By normalized name; a name may be locked once for each range of Pythons.
    requirements: Mapping[str, tuple[Requirement, ...]]
    hashes: Mapping[tuple[str, str], tuple[str, ...]]

    @property
    def without_hashes(self) -> str:
        """For pip, which otherwise wants a hash for our own wheels too."""
        return "".join(f"{one}\n" for every in self.requirements.values() for one in every)

    def hashes_of(self, name: str, version: str) -> tuple[str, ...]:
        try:
            return self.hashes[canonicalize_name(name), version]
        except KeyError:
            raise ReleaseRefused(f"{name} {version} isn't in constraints.txt") from None


def read_locked(path: Path) -> Locked:
    requirements, hashes = dict[str, tuple[Requirement, ...]](), dict[tuple[str, str], tuple[str, ...]]()
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        written = line.partition(" --hash")[0].strip()
        if not written or written.startswith("#"):
            continue
        requirement = Requirement(written)
        name = canonicalize_name(requirement.name)
        requirements[name] = (*requirements.get(name, ()), requirement)
        (version,) = (one.version for one in requirement.specifier)
        hashes[name, version] = tuple(HASH.findall(line))
    return Locked(requirements, hashes)
