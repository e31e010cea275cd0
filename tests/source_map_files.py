"""Small builds made by hand: a script of one line whose only function throws, and its map."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

SOURCE = "export function checkout(a) {\n  throw new Error(a);\n}\n"
SCRIPT = "function a(a){throw new Error(a)}\n"
# Character 14 of the script is line 2, column 3 of the source.
MAPPINGS = "AAAA,cACE"
POSITION = {"lineno": 1, "colno": 15}


def a_map(source: str = "src/checkout.js", **more: object) -> bytes:
    """Terser leaves names out where it is told so."""
    about = {
        "version": 3,
        "sources": [source],
        "sourcesContent": [SOURCE],
        "names": [],
        "mappings": MAPPINGS,
        **more,
    }
    return json.dumps({name: value for name, value in about.items() if value is not None}).encode()


def an_archive(files: Mapping[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return stream.getvalue()


def a_build(name: str = "app.js", source_map: bytes | None = None, debug_id: str = "") -> bytes:
    """As a plain upload has it."""
    script = SCRIPT + (f"//# debugId={debug_id}\n" if debug_id else "")
    return an_archive({name: script, f"{name}.map": source_map or a_map()})


def an_error(*urls: str, release: str | None = "shop@1", **more: Any) -> dict[str, Any]:
    """One frame for each URL, all at the position that the map knows."""
    frames = [{"abs_path": url, "filename": url, "function": "a", **POSITION} for url in urls]
    values = [{"type": "Error", "value": "no", "stacktrace": {"frames": frames}}]
    return {
        "event_id": uuid4().hex,
        "platform": "javascript",
        "release": release,
        "exception": {"values": values},
        **more,
    }
