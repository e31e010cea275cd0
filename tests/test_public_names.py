"""Tests use what users and other modules may use: public names of the product, and nothing of `bench`."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.cases import each

TESTS = Path(__file__).parent
PRODUCT = {"errata", "api", "pipelines", "dashboards", "errata_shipper", "errata_sdk", "errata_wire"}
PATCHES = {"setattr", "delattr", "getattr", "patch", "object"}
# `sentry_sdk` is no product of ours, and a child forked while a lock is held needs the locks themselves.
# WeasyPrint keeps the lines that it laid out to itself, and argparse the commands of a parser.
EXCEPTIONS = {
    "command_reference.py": {"_actions"},
    "errata/reports/test_performance_report.py": {"_page_box"},
    "sdk/test_forks.py": {"_aggregate_lock", "_thread_lock", "_lock", "_discards"},
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def foreign_modules(tree: ast.Module) -> set[str]:
    """Names that stand for modules of others, whose private names are no matter of this test."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] not in PRODUCT
    }


def imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        yield from (name for name in names if name.partition(".")[0] == "bench")
        return
    package = (node.module or "").partition(".")[0]
    if package == "bench":
        yield str(node.module)
    if package in PRODUCT | {"tests"}:
        yield from filter(is_private, names)


def patched(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in PATCHES:
        for given in call.args[:2]:
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                yield from filter(is_private, given.value.split("."))


def scripts(tree: ast.Module) -> Iterator[ast.Module]:
    """Programs that the tests run in processes of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            try:
                yield ast.parse(node.value)
            except (SyntaxError, ValueError):
                continue


def private_names(tree: ast.Module) -> Iterator[str]:
    foreign = foreign_modules(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)
        elif isinstance(node, ast.Call):
            yield from patched(node)
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in foreign | {"self", "cls"}:
                yield node.attr
    for script in scripts(tree):
        yield from private_names(script)


def test_tests_use_public_names_and_nothing_of_the_benchmarks() -> None:
    found = {
        str(path.relative_to(TESTS)): names
        for path in sorted({*TESTS.rglob("*.py")} - {Path(__file__)})
        if (names := set(private_names(ast.parse(path.read_text()))))
    }
    assert found == EXCEPTIONS


@each(
    "text",
    [
        "from errata.clock import _utc",
        "import bench.service",
        "from bench import service",
        "monkeypatch.setattr(clock, '_utc', None)",
        "patch('errata.clock._utc')",
        "patch.object(clock, '_utc')",
        "client.app._rate",
        "import errata\nerrata._version",
        "SCRIPT = '''\nimport errata\nerrata._version\n'''",
    ],
)
def test_a_private_name_is_noticed(text: str) -> None:
    assert list(private_names(ast.parse(text)))


@each("text", ["self._rows", "import os\nos._exit(0)", "errata.__file__", "_own()"])
def test_names_of_a_test_and_of_other_libraries_are_no_matter(text: str) -> None:
    assert not list(private_names(ast.parse(text)))
