"""What an SDK has sent, kept for the test suite."""

import json
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Recording:
    label: str
    version: str
    app_key: str
    event_id: str
    streams: list[bytes]
    lines: list[dict[str, Any]]

    def write(self, folder: Path) -> None:
        name = self.label.replace("@", "").replace("/", "-").replace(" ", "-")
        document = {
            "sdk": self.label,
            "version": self.version,
            "app_key": self.app_key,
            "event_id": self.event_id,
            "types": [line["type"] for line in self.lines],
            "streams": [b64encode(stream).decode() for stream in self.streams],
        }
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
