"""The replica of a shard on which its marts are built. Leases are rows, and a row is at once on one server
only: so all builders of a shard use the same one, by a choice that Keeper holds."""

import time

from errata.warehouse import sql
from errata.warehouse.addresses import addresses_of, place_of
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.readiness import is_ready

# A server that is busy for a moment stays chosen: another choice ends the builds that run.
LOOKS, LOOK_SECONDS = 5, 1.0


def build_url(warehouse: Warehouse, url: str) -> str:
    """The URL of the server to build on: of one server its own, of replicas that of the chosen one. One that
    is not ready is replaced by one that is, and builds that run on it publish nothing more. Raises
    WarehouseUnavailable if none is ready."""
    addresses = {place_of(address): address for address in addresses_of(url)}
    if len(addresses) == 1:
        return url
    chosen = _chosen(warehouse)
    if chosen not in addresses or not _stays_ready(addresses[chosen]):
        ready = next((place for place, address in addresses.items() if is_ready(address)), None)
        if ready is None:
            raise WarehouseUnavailable(warehouse.address, "no replica is ready")
        chosen = _choose(warehouse, ready, chosen)
    return addresses[chosen]


def _stays_ready(address: str) -> bool:
    for number in range(LOOKS):
        if number:
            time.sleep(LOOK_SECONDS)
        if is_ready(address):
            return True
    return False


def _chosen(warehouse: Warehouse) -> str:
    """`host:port`; empty: none yet."""
    rows = warehouse.rows(sql.build_statement("build_server"))
    return str(rows[0]["server"]) if rows else ""


def _choose(warehouse: Warehouse, server: str, former: str) -> str:
    """The server that is chosen now: that of another builder, if it was faster."""
    statement = "change_build_server" if former else "choose_build_server"
    parameters = {"server": server, **({"former": former} if former else {})}
    try:
        warehouse.execute(sql.build_statement(statement), parameters, {"keeper_map_strict_mode": 1})
    except QueryFailed:
        if not _chosen(warehouse):
            raise
    return _chosen(warehouse)
