import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from errata.backup.take import Options
from tests.small_service import Taken, small_service


@pytest.fixture(scope="package")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    folder = tmp_path_factory.mktemp("damage")
    place, others = folder / "backups", folder / "others"
    with small_service(folder / "data") as service:
        first = service.take(place)
        service.erase()
        last = service.take(place, Options(with_secret=True))
        service.take(others)
        yield Taken(service, place, first, last, others)


@pytest.fixture
def copied(taken: Taken, tmp_path: Path) -> Path:
    return shutil.copytree(taken.place, tmp_path / "copied")


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Commands set it for their process, which here is that of all tests."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)
