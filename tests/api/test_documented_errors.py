import ast
import re
from collections.abc import Iterator
from pathlib import Path

from api.problems import STATUS, status_of

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs/errors.md", ROOT / "docs/errors-commands.md"]
ROW = re.compile(r"^\| `([a-z_]+)` \|(?: (\d{3}) \|)?", re.MULTILINE)


def _pages() -> str:
    return "\n".join(page.read_text() for page in PAGES)


def declared_codes() -> Iterator[str]:
    """The `code` of every class of the server's programs."""
    for program in ("errata", "api", "pipelines", "dashboards"):
        for file in (ROOT / program).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ClassDef):
                    yield from _code_of(node)


def _code_of(declared: ast.ClassDef) -> Iterator[str]:
    for statement in declared.body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and statement.targets[0].id == "code"
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        ):
            yield statement.value.value


def test_every_code_stands_on_the_errors_page_and_nothing_else() -> None:
    documented = {code for code, _ in ROW.findall(_pages())}
    assert documented == set(declared_codes())


def test_the_statuses_on_the_errors_page_are_those_answered() -> None:
    documented = dict(ROW.findall(_pages()))
    for code, status in documented.items():
        if status:
            assert status_of(code) == int(status), code
        else:
            assert code not in STATUS, code


def test_no_other_code_of_an_internal_error_is_promised() -> None:
    documented = ROW.findall(_pages())
    assert [code for code, status in documented if status == "500"] == ["internal_error"]
