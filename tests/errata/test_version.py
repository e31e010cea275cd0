import re
from pathlib import Path

import errata_sdk
import errata_shipper

import errata


def test_every_distribution_has_the_version_of_the_newest_change() -> None:
    newest = re.search(r"^## (\d\S+)$", Path("CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert errata.__version__ == errata_sdk.__version__ == errata_shipper.__version__ == newest[1]
