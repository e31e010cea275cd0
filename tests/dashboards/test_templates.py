"""Templates use their own area, what is shown of an event, and what all areas share."""

import re

import pytest

from dashboards.shared.rendering import STATIC, environment

DASHBOARDS = STATIC.parent
TEMPLATES = sorted(str(path.relative_to(DASHBOARDS)) for path in DASHBOARDS.rglob("*.html"))
USED = re.compile(r"""\{% *(?:extends|include|from|import) *["']([^"']+)["']""")
# What lies below the areas, and what it may use.
BELOW = {"shared": {"shared"}, "event": {"shared", "event"}}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_uses_its_area_and_what_all_areas_share(name: str) -> None:
    area = name.partition("/")[0]
    used = {other.partition("/")[0] for other in USED.findall((DASHBOARDS / name).read_text())}
    assert used <= BELOW.get(area, {area, "event", "shared"})


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_found_by_its_path(name: str) -> None:
    assert environment().get_template(name).name == name
