"""The trackers: every module of this package that has a `TRACKER` is one."""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from errata.outgoing import Outgoing
from errata.trackers.connection import Connection
from errata.trackers.tracker import Tracker

PACKAGE = __name__.rpartition(".")[0]


def _found() -> Iterator[type[Tracker]]:
    for each in pkgutil.iter_modules([str(Path(__file__).parent)]):
        name = f"{PACKAGE}.{each.name}"
        tracker = getattr(import_module(name), "TRACKER", None) if name != __name__ else None
        if tracker is not None:
            yield tracker


TRACKERS: Mapping[str, type[Tracker]] = {each.kind: each for each in _found()}


def tracker_of(connection: Connection, outgoing: Outgoing) -> Tracker:
    return TRACKERS[connection.kind](connection, outgoing)
