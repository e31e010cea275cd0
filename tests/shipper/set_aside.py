"""What lies in `rejected/`, line by line."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path


def set_aside_lines(storage_path: Path) -> Iterator[bytes]:
    for path in (storage_path / "rejected").glob("*.ndjson"):
        for text in path.read_text().splitlines():
            record = json.loads(text)
            if "line" in record:
                yield record["line"].encode()
            elif "line_b64" in record:
                yield base64.b64decode(record["line_b64"])
            else:
                yield (path.parent / record["line_file"]).read_bytes().removesuffix(b"\n")
