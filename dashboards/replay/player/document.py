"""The player's document: its scripts stand in it and are named by their hashes. Nothing else runs, and
nothing is loaded."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from dashboards.shared.envelope import CONTENT_SECURITY_POLICY
from dashboards.shared.rendering import STATIC

# Of a page that has the player in a frame.
FRAMED_PLAYER = {"Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"}
HERE = Path(__file__).parent
SCRIPTS = (STATIC / "vendor" / "rrweb" / "rrweb.min.js", HERE / "harmless.js", HERE / "stage.js")


@cache
def document() -> bytes:
    tags = b"".join(b"<script>" + script + b"</script>" for script in scripts())
    return (
        b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Replay</title>'
        + tags
        + b"</head></html>"
    )


@cache
def policy() -> str:
    """Of the document's Content-Security-Policy header."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts()))}",
            # Recorded pages are full of styles; what these would load is forbidden below.
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "font-src data:",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
            "sandbox allow-scripts",
        )
    )


@cache
def tag() -> str:
    """The document's ETag."""
    return f'"{hashlib.sha256(document()).hexdigest()[:16]}"'


@cache
def scripts() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in SCRIPTS)


def _hash(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
