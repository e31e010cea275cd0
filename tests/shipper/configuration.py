"""errata.yaml as tests write it: valid but for what the test is about."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from errata_shipper.errors import ConfigurationInvalid
from errata_shipper.settings import load_settings

GOOD = {
    "apiKey": "errata_api_1",
    "appKey": "errata_app_1",
    "storagePath": "/var/log/errata",
    "baseUrl": "https://errata.example.com/",
}


def written(folder: Path, **fields: str) -> Path:
    path = folder / "errata.yaml"
    lines = [f"  {name}: {value}" for name, value in {**GOOD, **fields}.items() if value != "ABSENT"]
    path.write_text("\n".join(["errata:", *lines]))
    path.chmod(0o600)
    return path


def problems_of(path: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    with pytest.raises(ConfigurationInvalid) as caught:
        load_settings(path, environment or {})
    return caught.value.problems
