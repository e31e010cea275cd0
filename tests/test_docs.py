"""Documents name files, folders and modules that exist."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from errata.places import ORGANIZATION
from errata.places import SETTINGS as OF_PROJECT

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    *("api", "bench", "dashboards", "demo", "docs", "errata", "pipelines"),
    *("sdk", "shipper", "tests", "warehouse_sql"),
)
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s#]+)(#[\w-]+)?\)")
NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`")
MODULE = re.compile(rf"python -m ((?:{'|'.join(FOLDERS)})[\w.]*)")
FILE = re.compile(r"`([\w./-]+\.(?:py|sql|html|css|toml|ipynb|md))`")
EXAMPLES = {"NNNN_verb_what.sql", "user_defined/function_file.sql"}
"""Of names that a reader will give, and of a folder of ClickHouse's."""
READ = {".py", ".md", ".html"}
SETTINGS = re.compile(r"(?<!\w)Settings(?:\*?\*? →|,) \**(API tokens|[A-Z][a-z]+\b(?! ?=))")
SENTENCES = ("api", "dashboards", "docs", "errata", "sdk", "shipper")
# By its bare name, a distribution of ours comes from an index where a stranger may have registered it.
INSTALLED_BY_NAME = re.compile(
    r"pipx? (?:[\w-]+ )?install [^\n`]*?(?<![\w./-])(errata(?:[-_](?:server|shipper|sdk))?)(?![\w./*-])"
)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def broken_references(document: Path) -> Iterator[str]:
    text = document.read_text()
    for path, anchor in LINK.findall(text):
        target = (document.parent / path).resolve()
        if not target.exists():
            yield path
        elif anchor and anchor[1:] not in anchors(target):
            yield path + anchor
    yield from (path for path in NAMED.findall(text) if not (ROOT / path).exists())
    yield from (name for name in FILE.findall(text) if name not in EXAMPLES and not is_file(name))
    yield from (module for module in MODULE.findall(text) if not is_module(module))


def anchors(document: Path) -> set[str]:
    """Those that headings get on a page of a repository."""
    headings = HEADING.findall(document.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_file(name: str) -> bool:
    """Whether any folder holds it; a part of its path may stand before its name."""
    return any(f"/{path}".endswith(f"/{name}") for path in tracked_files())


@cache
def tracked_files() -> tuple[str, ...]:
    folders = (ROOT / folder for folder in FOLDERS)
    inside = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return tuple(str(path.relative_to(ROOT)) for path in [*inside, *ROOT.glob("*.*")])


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_named_in_a_document_exist(document: Path) -> None:
    assert list(broken_references(document)) == []


def test_a_reader_of_the_readme_reaches_every_document_in_two_clicks() -> None:
    one = set(linked(ROOT / "README.md"))
    two = {further for document in one for further in linked(document)}
    assert set(DOCUMENTS) - {ROOT / "README.md"} <= one | two


def linked(document: Path) -> Iterator[Path]:
    for path, _ in LINK.findall(document.read_text()):
        target = (document.parent / path).resolve()
        target = target / "README.md" if target.is_dir() else target
        if target.suffix == ".md":
            yield target


def read_by_people() -> list[Path]:
    inside = [path for folder in SENTENCES for path in (ROOT / folder).rglob("*") if path.suffix in READ]
    return [ROOT / "README.md", *inside]


def test_settings_that_people_are_sent_to_are_pages() -> None:
    titles = [place.title.lower() for place in (*ORGANIZATION, *OF_PROJECT)]
    named = {name.lower() for path in read_by_people() for name in SETTINGS.findall(path.read_text())}
    assert named
    assert {name for name in named if not any(name in title for title in titles)} == set()


def test_no_command_installs_a_distribution_of_ours_by_its_bare_name() -> None:
    assert INSTALLED_BY_NAME.search("pip install 'errata[s3]'")
    assert INSTALLED_BY_NAME.search("pipx install --find-links https://example.com/ errata-shipper")
    assert not INSTALLED_BY_NAME.search("pip install 'dist/errata_server-0.5.0-py3-none-any.whl[s3]'")
    found = {
        str(path.relative_to(ROOT)): name
        for path in read_by_people()
        for name in INSTALLED_BY_NAME.findall(path.read_text())
    }
    assert found == {}


def test_copies_of_the_license_are_equal() -> None:
    """Each distribution's wheel holds one."""
    for folder in ("shipper", "sdk"):
        assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
