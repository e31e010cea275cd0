"""The page of shared components: of development alone, light and dark, and accessible to everyone."""

from collections.abc import Iterator

import pytest

from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.dashboards.browser import CHROMIUM, Watched, violations
from tests.dashboards.conftest import NOWHERE, Site, served, site_of


@pytest.fixture
def development(store: Store) -> Iterator[Site]:
    away = Warehouse(NOWHERE)
    with site_of(store, away, away, environ={"ERRATA_API_STYLEGUIDE": "true"}) as site:
        yield site


@pytest.fixture
def address(development: Site) -> Iterator[str]:
    with served(development) as address:
        yield address


def test_only_development_has_the_page(site: Site) -> None:
    assert site.sign_in().get("/styleguide").status_code == 404


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_every_component_is_shown_in_both_themes(development: Site, watched: Watched) -> None:
    jar = development.sign_in().cookies.jar
    watched.page.context.add_cookies(
        [{"name": each.name, "value": each.value or "", "url": watched.address} for each in jar]
    )
    watched.go("/styleguide")
    backs = watched.page.locator(".guide").evaluate_all(
        "all => all.map(each => getComputedStyle(each).backgroundColor)"
    )
    assert backs == ["rgb(245, 246, 248)", "rgb(16, 19, 24)"]
    assert violations(watched.page) == []
    watched.page.set_viewport_size({"width": 390, "height": 844})
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert watched.complaints == []
