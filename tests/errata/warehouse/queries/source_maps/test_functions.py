"""Functions that browsers name by the character at which they begin."""

import re
from pathlib import Path

import pytest

from errata.performance.script import OriginalFunction
from errata.source_maps.opened import OpenedMap
from errata.warehouse.queries.source_maps.functions import original_functions
from errata.warehouse.queries.source_maps.uploads import Place
from tests.browser_builds import extract_builds
from tests.processes import WarehouseProcess
from tests.uploading import uploading

URL = "http://shop.localhost:8471/assets/1.1.0/checkout-ADMYCDFX.js"
FUNCTIONS = {"B": ("load", 3), "h": ("pay", 11), "L": ("recalculateTax", 22), "A": ("applyLoyalty", 27)}


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds")) / "1.1.0" / "assets"


def beginnings(script: str) -> dict[str, int]:
    """By minified name where the parameters begin, as V8 counts."""
    named = re.finditer(r"function (\w)\(", script[747_000:])
    return {found[1]: 747_000 + found.end() - 1 for found in named if found[1] in FUNCTIONS}


def test_a_function_has_its_original_name_file_and_line(
    warehouse: WarehouseProcess, tmp_path: Path, assets: Path
) -> None:
    begin = beginnings((assets / "checkout-ADMYCDFX.js").read_text())
    places = {name: Place(URL, character) for name, character in begin.items()}
    with uploading(warehouse, tmp_path) as api:
        project = [api.project.id]
        assert original_functions(api.context.read, project, set(places.values())) == {}
        api.upload(assets, "shop-web@1.1.0", "~/assets/1.1.0")
        asked = {*places.values(), Place(URL, 0), Place(URL, -1), Place("", 5), Place(URL + "x", 9)}
        found = original_functions(api.context.read, project, asked)
    assert found == {
        place: OriginalFunction(FUNCTIONS[name][0], f"src/pages/checkout.js:{FUNCTIONS[name][1]}")
        for name, place in places.items()
    }


def test_characters_are_counted_as_browsers_do(assets: Path) -> None:
    """In UTF-16: an emoji before the function counts as two."""
    script = (assets / "checkout-ADMYCDFX.js").read_bytes()
    source_map = (assets / "checkout-ADMYCDFX.js.map").read_bytes()
    before = "/* \U0001f6d2\n\u20ac */\n"
    moved = source_map.replace(b'"mappings": "', b'"mappings": ";;').replace(
        b'"mappings":"', b'"mappings":";;'
    )
    opened = OpenedMap(before.encode() + script, moved)
    begin = beginnings(script.decode())
    for name, (function, line) in FUNCTIONS.items():
        found = opened.original_at(begin[name] + len(before.encode("utf-16-le")) // 2)
        assert found is not None and (found.function, found.line) == (function, line)
