"""Builds of the server: the wheels that hosts download from it, and its long description."""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, str(Path(__file__).parent))

from errata.downloads.building import build_wheels

ROOT = Path(__file__).parent
IMAGE = re.compile(r"^!\[[^]]*\]\((?!https?:)[^)]*\)\n+", re.MULTILINE)
LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]*\)")


class DownloadsHook(BuildHookInterface):
    """Puts the wheels of the shipper, the SDK and what both need into the server's, which offers them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        build_wheels(Path(self._folder.name))
        build_data["force_include"][self._folder.name] = "errata/downloads/wheels"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()


class LongDescriptionHook(MetadataHookInterface):
    """README.md without images and links into the repository, which lead nowhere on an index of packages."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = LINK.sub(r"\1", IMAGE.sub("", (ROOT / "README.md").read_text(encoding="utf-8")))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
