"""`make release`: builds, tries and describes all distributions of a clean tree, and tags the commit last."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from release.bill import EXTRAS, bill_of_materials, text_of
from release.building import archives_of, build, check_archives
from release.distributions import DISTRIBUTIONS, ROOT, Distribution
from release.environment import chosen_by_pip
from release.errors import ReleaseRefused
from release.locked import Locked, read_locked
from release.pythons import VERSIONS, found_pythons, own_version
from release.repository import create_tag, current_commit, refuse_changes, refuse_tag, tracked_files
from release.schema import refuse_invalid
from release.smoke import try_host, try_server
from release.sums import NAME, write_sums
from release.version import released_version

Say = Callable[[str], object]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument(
        "--dist", type=Path, default=ROOT / "dist", help="folder of the result (default: dist)"
    )
    parser.add_argument("--tag", action="store_true", help="create the annotated tag vVERSION at the end")
    chosen = parser.parse_args(arguments)
    try:
        release(ROOT, chosen.dist.absolute(), tags=chosen.tag, say=print)
    except ReleaseRefused as refused:
        for problem in refused.problems:
            sys.stderr.write(f"not released: {problem}\n")
        return 1
    return 0


def release(root: Path, dist: Path, *, tags: bool, say: Say) -> None:
    """`dist` is replaced only when every check has passed."""
    refuse_changes(root)
    commit = current_commit(root)
    version = released_version(root)
    tag = f"v{version}"
    refuse_tag(root, tag)
    pythons = found_pythons()
    say(f"Errata {version}, tried with Python {', '.join(pythons)}")
    for missing in sorted(set(VERSIONS) - pythons.keys()):
        say(f"Python {missing} isn't on this machine: not tried")
    locked = read_locked(root / "constraints.txt")
    with tempfile.TemporaryDirectory() as temporary:
        built = Path(temporary) / "dist"
        built.mkdir()
        build(root, built)
        check_archives(built, tracked_files(root), version)
        say("built and checked")
        for python, path in pythons.items():
            try_host(path, built, version, locked)
            try_server(path, built, version, locked, starts=python == own_version())
            say(f"installed and tried with Python {python}")
        write_bills(built, version, locked)
        write_sums(built)
        refuse_changes(root)
        replace(dist, built)
    say(f"{dist}: {len(list(dist.iterdir()))} files; {NAME} lists them")
    if tags:
        create_tag(root, tag, f"Errata {version}", commit)
        say(f"tagged {tag}")
    else:
        say(f"would tag {tag}: make release TAG=yes")


def write_bills(folder: Path, version: str, locked: Locked) -> None:
    """One for each distribution, valid by CycloneDX's own schema."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    for distribution in DISTRIBUTIONS:
        wheels = _with_extras(folder, distribution, version)
        chosen = chosen_by_pip(Path(sys.executable), locked, "--dry-run", "--ignore-installed", *wheels)
        text = text_of(bill_of_materials(distribution, version, chosen, locked, created))
        path = folder / f"{distribution.file_name}-{version}.cdx.json"
        refuse_invalid(path.name, text)
        path.write_text(text)


def replace(dist: Path, built: Path) -> None:
    if dist.exists():
        shutil.rmtree(dist)
    shutil.copytree(built, dist)


def _with_extras(folder: Path, distribution: Distribution, version: str) -> list[str]:
    """The wheel with all extras for users, and those of ours that it may need."""
    extras = ",".join(EXTRAS.get(distribution.name, ()))
    others = [one for one in DISTRIBUTIONS if one is not distribution and one.name != "errata-server"]
    own = str(archives_of(folder, distribution, version)[0])
    return [
        f"{own}[{extras}]" if extras else own,
        *(str(archives_of(folder, one, version)[0]) for one in others),
    ]


if __name__ == "__main__":
    sys.exit(main())
