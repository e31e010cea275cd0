"""The modules of a package whose files are its kinds: a file that is added is found."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any


def modules_of(package: ModuleType) -> Iterator[Any]:
    """The modules, imported, by name."""
    for name in sorted(each.name for each in pkgutil.iter_modules(package.__path__)):
        yield import_module(f"{package.__name__}.{name}")
