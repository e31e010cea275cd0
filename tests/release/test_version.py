"""A version is released from a clean tree, once, with its own section of the changelog."""

import subprocess
from pathlib import Path

import pytest

from errata import __version__
from release.distributions import DISTRIBUTIONS, ROOT
from release.errors import ReleaseRefused
from release.repository import create_tag, current_commit, refuse_changes, refuse_tag
from release.version import changelog_problems, released_version
from tests.cases import each

DATED = "# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-11-30)\n\n- **News**: some.\n\n## 1.1.0\n\n- Old.\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The files that name a version, of version 1.2.0 and committed."""
    for distribution in DISTRIBUTIONS:
        package = distribution.path(tmp_path) / distribution.import_name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text('__version__ = "1.2.0"\n')
        project = (distribution.path(ROOT) / "pyproject.toml").read_text()
        (distribution.path(tmp_path) / "pyproject.toml").write_text(
            project.replace(f"=={__version__}", "==1.2.0")
        )
    (tmp_path / "CHANGELOG.md").write_text(DATED)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def git(root: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Anna", "-c", "user.email=anna@example.com")
    return subprocess.run(
        ["git", *named, *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def test_the_version_of_a_clean_tree_is_released(repository: Path) -> None:
    refuse_changes(repository)
    refuse_tag(repository, "v1.2.0")
    assert released_version(repository) == "1.2.0"


@each("name", ["CHANGELOG.md", "new.txt"])
def test_a_tree_with_changes_is_refused(name: str, repository: Path) -> None:
    path = repository / name
    before = path.read_text() if path.exists() else None
    path.write_text("changed")
    with pytest.raises(ReleaseRefused, match=f"changes that aren't committed: {name}$"):
        refuse_changes(repository)
    path.unlink() if before is None else path.write_text(before)


def test_a_tag_that_exists_is_refused(repository: Path) -> None:
    git(repository, "config", "user.name", "Anna")
    git(repository, "config", "user.email", "anna@example.com")
    commit = current_commit(repository)
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "Later")
    create_tag(repository, "v1.2.0", "Errata 1.2.0", commit)
    assert git(repository, "rev-parse", "v1.2.0^{}").strip() == commit
    assert git(repository, "cat-file", "-t", "v1.2.0") == "tag\n"
    with pytest.raises(ReleaseRefused, match=r"the tag v1\.2\.0 already exists"):
        refuse_tag(repository, "v1.2.0")


def test_versions_and_pins_that_differ_are_named(repository: Path) -> None:
    (repository / "sdk/errata_sdk/__init__.py").write_text('__version__ = "1.1.0"\n')
    project = repository / "shipper/pyproject.toml"
    project.write_text(project.read_text().replace("errata-wire[zstd]==1.2.0", "errata-wire[zstd]>=1.1"))
    with pytest.raises(ReleaseRefused) as refused:
        released_version(repository)
    assert refused.value.problems == (
        "errata-sdk has version 1.1.0, not 1.2.0",
        "errata-shipper needs errata-wire>=1.1, not errata-wire==1.2.0",
    )


@each("text", ["", '__version__ = "next"\n', "__version__ = '1.2.0'\n"])
def test_what_is_no_version_is_refused(text: str, repository: Path) -> None:
    (repository / "errata/__init__.py").write_text(text)
    with pytest.raises(ReleaseRefused, match=r"has no __version__|isn't a version such as"):
        released_version(repository)


@each(
    "text, problem",
    [
        (DATED, None),
        (DATED.replace("## Unreleased\n\n", ""), None),
        (DATED.replace("1.2.0 (", "1.3.0 ("), "CHANGELOG.md has no section for 1.2.0"),
        (DATED.replace(" (2026-11-30)", ""), "CHANGELOG.md doesn't date its section for 1.2.0"),
        (DATED.replace("11-30", "11-31"), "CHANGELOG.md doesn't date its section for 1.2.0"),
        (DATED.replace("- **News**: some.\n", ""), "CHANGELOG.md has nothing under 1.2.0"),
        (DATED.replace("## 1.2", "- Later.\n\n## 1.2"), "CHANGELOG.md still has lines under Unreleased"),
    ],
)
def test_the_changelog_dates_the_version_and_leaves_nothing_out(text: str, problem: str | None) -> None:
    told = list(changelog_problems(text, "1.2.0"))
    assert len(told) == (problem is not None)
    assert all(one.startswith(problem or "") for one in told)


def test_git_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReleaseRefused, match="git status failed: "):
        refuse_changes(tmp_path / "..")
