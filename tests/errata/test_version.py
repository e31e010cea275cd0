import re
from pathlib import Path

import errata_sdk
import errata_shipper
import errata_wire

import errata


def test_every_distribution_has_the_version_of_the_newest_change() -> None:
    newest = re.search(r"^## (\d\S+)$", Path("CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    for distribution in (errata, errata_sdk, errata_shipper, errata_wire):
        assert distribution.__version__ == newest[1], distribution.__name__


def test_the_others_need_the_wire_of_their_own_version() -> None:
    for folder in (".", "shipper", "sdk"):
        needed = re.findall(
            r'"errata-wire(?:\[[a-z,]+\])?(.*?)"', (Path(folder) / "pyproject.toml").read_text()
        )
        assert set(needed) == {f"=={errata_wire.__version__}"}, folder
