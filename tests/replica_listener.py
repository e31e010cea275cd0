"""`python -m tests.replica_listener NAME INTER_PORT KEEPER_PORT …`: the listener as a replica, with its own
arguments after these."""

import sys

from errata.warehouse import listener
from errata.warehouse.configuration import ListenerConfiguration
from tests.inter_server import PartSender, give_address

HOST = "127.0.0.1"


def main(name: str, inter_port: int, keeper_port: int, *arguments: str) -> int:
    of_listener = ListenerConfiguration.server_file

    def with_keeper(self: ListenerConfiguration) -> str:
        own = f"""<clickhouse>
    <zookeeper><node><host>{HOST}</host><port>{keeper_port}</port></node>
        <session_timeout_ms>10000</session_timeout_ms>
        <sessions_path>/sessions/{inter_port}</sessions_path></zookeeper>
    <macros><replica>{name}</replica></macros>
    <keeper_map_path_prefix>/keeper_map</keeper_map_path_prefix>
    <interserver_http_host>{HOST}</interserver_http_host>
    <interserver_http_port>{inter_port}</interserver_http_port>"""
        PartSender.listen(self.data_directory, HOST, inter_port)
        give_address(HOST, inter_port)
        return of_listener(self).replace("<clickhouse>", own, 1)

    ListenerConfiguration.server_file = with_keeper  # type: ignore[method-assign]
    return listener.main(list(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]))
