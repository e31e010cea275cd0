"""The trackers: every module of this package that has a `TRACKER` is one."""

from collections.abc import Mapping

import errata.trackers as package
from errata.outgoing import Outgoing
from errata.package_modules import modules_of
from errata.trackers.connection import Connection
from errata.trackers.tracker import Tracker

TRACKERS: Mapping[str, type[Tracker]] = {
    each.kind: each
    for each in (module.TRACKER for module in modules_of(package) if hasattr(module, "TRACKER"))
}


def tracker_of(connection: Connection, outgoing: Outgoing) -> Tracker:
    return TRACKERS[connection.kind](connection, outgoing)
