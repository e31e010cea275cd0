"""Puts the wheels of the shipper, the SDK and what both need into the server's: the service offers them."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from errata.downloads.building import build_wheels


class DownloadsHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        build_wheels(Path(self._folder.name))
        build_data["force_include"][self._folder.name] = "errata/downloads/wheels"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
