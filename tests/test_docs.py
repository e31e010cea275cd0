"""Documents name files, folders and modules that exist, and say what the code does."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path

from dashboards.issue.tabs import TABS
from errata.command_line import command_line
from errata.grouping import CURRENT_VERSION, VERSIONS
from errata.places import ORGANIZATION
from errata.places import SETTINGS as OF_PROJECT
from errata.warehouse.retention import KEPT, most_days
from tests.authorization_table import ROUTES, Level
from tests.cases import each
from tests.command_reference import reference
from tests.prose import CODE_BLOCK, sentences, words

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    *("api", "bench", "dashboards", "demo", "docs", "errata", "pipelines"),
    *("sdk", "shipper", "tests", "warehouse_sql", "wire"),
)
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
MOST_WORDS = 1800
MOST_WORDS_OF_README = 600
MOST_WORDS_OF_A_SENTENCE = 30
MOST_CHARACTERS_OF_A_LINE = 140
SHELL = re.compile(r"^ *```(?:sh|console)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^ *(?:[$#] )?(?:[A-Z_]+=\S+ +)*(?:\S+/bin/)?errata (?!-)([^#|;&>\n)]*)", re.MULTILINE)

LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s#]+)(#[\w-]+)?\)")
NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`")
MODULE = re.compile(rf"python -m ((?:{'|'.join(FOLDERS)})[\w.]*)")
FILE = re.compile(r"`([\w./-]+\.(?:py|sql|html|css|toml|ipynb|md))`")
EXAMPLES = {"NNNN_verb_what.sql", "cart.py", "draw.py", "user_defined/function_file.sql", "/api/docs.css"}
"""Of names that a reader will give, of a folder of ClickHouse's, and of an address."""
READ = {".py", ".md", ".html"}
SETTINGS = re.compile(r"(?<!\w)Settings(?:\*?\*? →|,) \**(API keys|[A-Z][a-z]+\b(?! ?=))")
# An API key delivers, an access token calls REST, an application key is in an application's SDK.
FORMER_NAMES = re.compile(
    r"(?<![\w-])(?:(?:ingest|DSN|app|client) keys?|(?:API|upload|read|verdict|project) tokens?)(?![\w-])",
    re.IGNORECASE,
)
# Says what not to call them; and Jira's tokens have that name.
WITH_FORMER_NAMES = {"glossary.md", "integrations.md"}
SENTENCES = ("api", "dashboards", "docs", "errata", "sdk", "shipper", "wire")
# By its bare name, a distribution of ours comes from an index where a stranger may have registered it.
INSTALLED_BY_NAME = re.compile(
    r"pipx? (?:[\w-]+ )?install [^\n`]*?(?<![\w./-])(errata(?:[-_](?:server|shipper|sdk|wire))?)(?![\w./*-])"
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


@each("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
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


def test_documents_name_pages_of_settings_as_the_navigation_does() -> None:
    titles = {place.title for place in (*ORGANIZATION, *OF_PROJECT)}
    for document in DOCUMENTS:
        text = " ".join(document.read_text().split())
        named = {path.split(" →")[0] for path in re.findall(r"\bSettings → ([^*]+)\*", text)}
        assert text.count("Settings →") == len(re.findall(r"\*Settings → ", text)), document.name
        assert named <= titles, (document.name, named - titles)


def test_keys_and_tokens_have_their_three_names() -> None:
    assert FORMER_NAMES.search("an API token")
    files = [path for path in read_by_people() if path.name not in WITH_FORMER_NAMES]
    assert {(path.name, name) for path in files for name in FORMER_NAMES.findall(path.read_text())} == set()


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


def table(document: str, header: str) -> list[list[str]]:
    """The cells below the row that begins so."""
    lines = (ROOT / "docs" / document).read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(header)) + 2
    rows = takewhile(lambda line: line.startswith("|"), lines[first:])
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in rows]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def shape(address: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", address.partition("?")[0])


def page_routes(*levels: Level) -> set[str]:
    routes = (line.split() for level in levels for line in ROUTES[level].split("\n") if line.strip())
    return {shape(path) for method, path in routes if method == "GET" and not path.startswith("/api")}


def test_the_addresses_on_the_page_of_pages_are_those_of_pages() -> None:
    told = {shape(address) for row in table("pages.md", "| address |") for address in quoted(row[0])}
    also = {shape(address) for row in table("pages.md", "| address |") for address in quoted(row[-1])}
    routes = page_routes(*(level for level in Level if level not in (Level.SCRAPER, Level.AGENT)))
    assert told <= routes
    assert routes <= told | also | {"/"}


def test_every_address_that_is_open_is_on_the_page_of_security() -> None:
    rows = table("security.md", "| open without a sign-in |")
    told = {shape(address) for row in rows for address in quoted(row[0])}
    public = {line.split()[1] for line in ROUTES[Level.PUBLIC].split("\n") if line.strip()}
    assert {shape(path) for path in public} <= told


def test_the_tabs_of_an_issue_are_those_of_its_page() -> None:
    rows = table("issue-view.md", "| tab |")
    assert [re.split("[:(]", row[0])[0].strip() for row in rows] == [tab.title for tab in TABS]
    addresses = [row[1] for row in rows]
    for tab, address in zip(TABS[1:], addresses[1:], strict=True):
        assert f"?tab={tab.name}" in address
        assert set(tab.names) <= set(re.findall(r"[?&](\w+)=", address))


def folders_in(path: str) -> set[str]:
    return {f"{each.parent.name}/" for each in (ROOT / path).glob("*/*.*") if each.suffix in (".py", ".sql")}


def test_the_folders_of_the_architecture_are_those_of_the_tree() -> None:
    told = {name for row in table("architecture.md", "| folder | what it is") for name in quoted(row[0])}
    assert {name for name in folders_in(".") if name != "tests/"} <= told | {"sdk/", "shipper/", "wire/"}
    sql = {name for row in table("architecture.md", "| folder | what a file is") for name in quoted(row[0])}
    assert folders_in("warehouse_sql") | {"queries/"} == sql
    rows = table("architecture.md", "| folder | questions about")
    questions = {name for row in rows for name in quoted(row[0])}
    assert folders_in("errata/warehouse/queries") | folders_in("warehouse_sql/queries") == questions


def test_the_reference_of_commands_is_the_one_made_from_the_code() -> None:
    assert (ROOT / "docs/cli.md").read_text() == reference()


def commands(document: Path) -> Iterator[str]:
    """Those of `errata` in its blocks of shell."""
    for block in SHELL.findall(document.read_text()):
        for command in COMMAND.findall(block.replace("\\\n", " ")):
            yield command.strip()


@each("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_of_a_document_are_commands(document: Path) -> None:
    for command in commands(document):
        command_line().parse_args(shlex.split(command))


def test_commands_are_found_in_documents() -> None:
    assert sum(1 for document in DOCUMENTS for _ in commands(document)) > 40


@each("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_is_short_and_so_are_its_sentences(document: Path) -> None:
    page = document.read_text()
    assert len(words(page)) <= MOST_WORDS
    long = [sentence for sentence in sentences(page) if len(words(sentence)) > MOST_WORDS_OF_A_SENTENCE]
    assert document == ROOT / "docs/cli.md" or long == []
    lines = [line for line in CODE_BLOCK.sub("", page).splitlines() if not line.lstrip().startswith("|")]
    assert [line for line in lines if len(line) > MOST_CHARACTERS_OF_A_LINE] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= MOST_WORDS_OF_README


def test_the_jobs_of_the_pipelines_are_those_defined() -> None:
    told = {quoted(row[0])[0] for row in table("pipelines.md", "| job |")}
    defined = re.search(r"\bjobs=\[(.*?)\]", (ROOT / "pipelines/definitions.py").read_text(), re.DOTALL)
    assert defined is not None
    assert told == set(re.findall(r"\w+", defined[1]))


def test_the_versions_of_grouping_are_those_of_the_code() -> None:
    told = re.findall(r"^\| \*\*(\d+)\*\* \|(.*)", (ROOT / "docs/grouping.md").read_text(), re.MULTILINE)
    assert tuple(int(number) for number, _ in told) == VERSIONS
    assert [int(number) for number, said in told if "current" in said] == [CURRENT_VERSION]


def test_days_of_retention_are_those_of_the_code() -> None:
    told = [[int(days) for days in re.findall(r"\d+", row[2])] for row in table("retention.md", "| data |")]
    assert told == [[kept.least_days, most_days(kind)] for kind, kept in KEPT.items()]


def test_a_column_of_figures_holds_figures_of_one_kind() -> None:
    """A row that was put into another table has other units."""
    measured = (ROOT / "docs/statistics.md").read_text() + (
        ROOT / "bench/results/0.5.md"
    ).read_text().partition("\n# Grouping\n")[0]
    for block in re.findall(r"(?:^\|.*\n)+", measured, re.MULTILINE):
        rows = [line.strip("|\n").split("|") for line in block.splitlines()[2:]]
        for cells in zip(*rows, strict=True):
            figures = [cell.strip() for cell in cells if re.match(r" *\**[+-]?\d", cell)]
            shares = [figure for figure in figures if "%" in figure]
            assert len(shares) in (0, len(figures)) or len(shares) < 0.8 * len(figures), figures
