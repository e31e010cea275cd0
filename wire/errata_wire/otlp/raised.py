"""An exception as a stack's text tells it."""

from dataclasses import dataclass, field
from typing import Any

Frame = dict[str, Any]
"""A frame of Sentry's protocol."""

MOST_FRAMES = 500


@dataclass
class Raised:
    """One exception of a chain. Frames begin with the outermost call, as in Sentry's protocol."""

    type: str = ""
    value: str = ""
    frames: list[Frame] = field(default_factory=list)
