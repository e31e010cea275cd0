"""Uploads of a build that the project has, had, or has only in part."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser_builds import extract_builds
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, uploading


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as made:
        yield made


def test_a_deleted_build_can_be_uploaded_again(api: Uploading, tmp_path: Path) -> None:
    build = extract_builds(tmp_path / "builds") / "1.0.0" / "assets"
    uploaded = api.upload(build, "shop-web@1.0.0")
    path = f"{api.path}/sourcemaps"
    assert not api.upload(build, "shop-web@1.0.0")["is_new"]
    answer = api.client.delete(f"{path}/{uploaded['bundle_id']}", headers=api.headers)
    assert answer.status_code == 204 and api.get(path)["uploads"] == []
    assert api.upload(build, "shop-web@1.0.0")["is_new"]
    assert [one["bundle_id"] for one in api.get(path)["uploads"]] == [uploaded["bundle_id"]]
    maps = api.admin.rows("select uniqExact(name) as name_count from errata_raw.source_maps")
    assert maps == [{"name_count": uploaded["script_count"]}]
