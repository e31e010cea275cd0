"""Captured errors of minified bundles, read through the maps of their builds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser_builds import browser_errors, extract_builds
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, uploading

BUGS = 14


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds"))


def issues(api: Uploading) -> dict[str, tuple[str, int, str]]:
    """By issue id: title, number of events and culprit."""
    return {
        one["id"]: (one["title"], one["event_count"], one["culprit"])
        for one in api.get(f"{api.path}/issues", limit=100)["issues"]
    }


def upload_all(api: Uploading, builds: Path) -> None:
    for release in ("1.0.0", "1.1.0"):
        api.upload(builds / release / "assets", f"shop-web@{release}", f"~/assets/{release}")


def test_errors_before_their_maps_become_readable_and_stay_counted(api: Uploading, builds: Path) -> None:
    events = browser_errors()
    api.deliver(events)
    assert api.map_variants() > 10
    before = issues(api)
    assert len(before) == BUGS
    upload_all(api, builds)
    assert api.map_variants() > 10
    after = issues(api)
    assert {id_: count for id_, (_, count, _) in after.items()} == {
        id_: count for id_, (_, count, _) in before.items()
    }
    assert {title for title, _, _ in after.values()} == {title for title, _, _ in before.values()}
    places = {culprit for _, _, culprit in after.values()}
    assert {"src/lib/ui.js in formatPrice", "src/pages/home.js in nextSlide"} <= places
    # Of the monitoring script itself no map was uploaded.
    assert {place for place in places if place.startswith("assets/")} == {"assets/monitor-10.js in ?"}
    assert api.map_variants() == 0
