"""The kinds of inbound filters: every module of `errata/filters/kinds` is one."""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module

from errata.filters import kinds
from errata.filters.inbound_filter import InboundFilter


def _found() -> Iterator[InboundFilter]:
    for module in sorted(each.name for each in pkgutil.iter_modules(kinds.__path__)):
        yield import_module(f"{kinds.__name__}.{module}").FILTER


FILTERS: Mapping[str, InboundFilter] = {each.kind: each for each in _found()}
