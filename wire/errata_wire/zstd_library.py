"""zstd of the standard library from Python 3.14 on, or of backports.zstd where that is installed."""

import importlib
from functools import cache
from typing import Any

MODULE_NAMES = ("compression.zstd", "backports.zstd")


@cache
def library() -> Any:
    """The module; None if there is none."""
    for name in MODULE_NAMES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None
