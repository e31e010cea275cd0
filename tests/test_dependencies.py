"""What a package imports is installed with it, not only on the machines of its developers."""

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PRODUCT = ("errata", "api", "pipelines", "dashboards")


def test_every_import_of_the_product_is_of_a_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    of_extras = [one for name in ("postgres", "pdf", "s3", "sourcemaps", "geo") for one in extras[name]]
    installed = set(needed([*project["dependencies"], *of_extras]))
    distributions = packages_distributions()
    strays = {
        name: sorted(paths)
        for name, paths in imported().items()
        # A distribution of ours, installed as a link, lists no packages; the package has its name.
        if not installed & {canonicalize_name(one) for one in distributions.get(name, (name,))}
    }
    assert strays == {}


def imported() -> dict[str, set[str]]:
    """By package of others: the files that import it."""
    found: dict[str, set[str]] = {}
    for path in (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")):
        for name in _names(ast.parse(path.read_text())):
            if name not in PRODUCT and name not in sys.stdlib_module_names:
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def needed(wanted: Iterable[str]) -> Iterator[str]:
    """Names of distributions, and of those that they need without extras."""
    seen, waiting = set[str](), list(wanted)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        yield name
        try:
            waiting += requires(name) or []
        except PackageNotFoundError:
            continue
