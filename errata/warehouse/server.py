"""Whether an address leads to a ClickHouse server that the service can run on."""

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# The first version with common table expressions that are computed once, which statements rely on.
LEAST_VERSION = (26, 3)
# A balancer that takes turns leads eight connections to one of two servers once in 128 times.
CONNECTIONS = 8


class ServerTooOld(ErrataError):
    """The server lacks what statements rely on."""

    code = "server_too_old"
    is_final = True

    def __init__(self, address: str, version: str) -> None:
        least = ".".join(map(str, LEAST_VERSION))
        super().__init__(f"ClickHouse at {address} is version {version}; Errata needs {least} or newer")
        self.version = version


class SeveralServers(ErrataError):
    """The address leads to several servers in turn, which do not hold the same rows."""

    code = "several_servers"

    def __init__(self, address: str, count: int) -> None:
        super().__init__(
            f"{address} leads to {count} ClickHouse servers in turn, so a query may miss rows that were just "
            f"written. Use the address of one server"
        )
        self.count = count


def require_version(warehouse: Warehouse) -> str:
    """The server's version. Raises ServerTooOld."""
    found = str(warehouse.rows(sql.build_statement("server_version"))[0]["version"])
    if tuple(int(part) for part in found.split(".")[:2]) < LEAST_VERSION:
        raise ServerTooOld(warehouse.address, found)
    return found


def require_one_server(url: str) -> str:
    """The id of the server. Raises SeveralServers if connections lead to different ones."""
    found = set()
    for _ in range(CONNECTIONS):
        warehouse = Warehouse(url)
        found.add(str(warehouse.rows(sql.build_statement("server_identity"))[0]["id"]))
        warehouse.close()
    if len(found) > 1:
        raise SeveralServers(warehouse.address, len(found))
    return found.pop()
