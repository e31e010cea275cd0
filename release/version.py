"""The version of a release: one for all distributions, with a dated section of the changelog."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from release.distributions import DISTRIBUTIONS
from release.errors import ReleaseRefused

ASSIGNED = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
OURS = re.compile(r"(errata-(?:wire|shipper|sdk|server))(?:\[[^]]*\])?(.*)")


def released_version(root: Path) -> str:
    """Refuses versions that differ, that no pin follows, or that the changelog doesn't date."""
    version = common_version(root)
    problems = list(changelog_problems((root / "CHANGELOG.md").read_text(encoding="utf-8"), version))
    if problems:
        raise ReleaseRefused(*problems)
    return version


def common_version(root: Path) -> str:
    """That of all distributions, and of their pins of each other."""
    found = {one.name: _assigned(one.path(root) / one.import_name / "__init__.py") for one in DISTRIBUTIONS}
    version = found["errata-server"]
    if not VERSION.fullmatch(version):
        raise ReleaseRefused(f"{version} isn't a version such as 1.2.3 or 1.2.3rc1")
    problems = [f"{name} has version {one}, not {version}" for name, one in found.items() if one != version]
    problems += wrong_pins(root, version)
    if problems:
        raise ReleaseRefused(*problems)
    return version


def wrong_pins(root: Path, version: str) -> Iterator[str]:
    for distribution in DISTRIBUTIONS:
        project = tomllib.loads((distribution.path(root) / "pyproject.toml").read_text())["project"]
        needed = [*project.get("dependencies", ()), *_extras(project)]
        for name, pin in (match.groups() for match in map(OURS.fullmatch, needed) if match):
            if pin != f"=={version}":
                yield f"{distribution.name} needs {name}{pin}, not {name}=={version}"


def changelog_problems(text: str, version: str) -> Iterator[str]:
    """The section of a version is `## 1.2.3 (2026-11-30)`; nothing is left under Unreleased."""
    sections = dict(_sections(text))
    titles = [title for title in sections if title.split()[0] == version]
    if not titles:
        yield f"CHANGELOG.md has no section for {version}"
    elif not _is_dated(titles[0], version):
        yield f"CHANGELOG.md doesn't date its section for {version}: write ## {version} (YYYY-MM-DD)"
    elif not sections[titles[0]]:
        yield f"CHANGELOG.md has nothing under {version}"
    if sections.get("Unreleased"):
        yield f"CHANGELOG.md still has lines under Unreleased: move them to {version}"


def _assigned(path: Path) -> str:
    match = ASSIGNED.search(path.read_text(encoding="utf-8"))
    if match is None:
        raise ReleaseRefused(f"{path} has no __version__")
    return match[1]


def _extras(project: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    for needed in project.get("optional-dependencies", {}).values():
        yield from needed


def _sections(text: str) -> Iterator[tuple[str, str]]:
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, lines = section.partition("\n")
        yield title.strip(), lines.strip()


def _is_dated(title: str, version: str) -> bool:
    written = re.fullmatch(rf"{re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)", title)
    try:
        return written is not None and date.fromisoformat(written[1]) > date.min
    except ValueError:
        return False
