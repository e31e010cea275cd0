"""The configuration of the embedded warehouse, read at its start: one server file, one users file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from errata.private_file import write_private
from errata.warehouse.backup_disk import DISK, disk_path
from errata.warehouse.logins import Login, Logins
from errata.warehouse.profiles import OF_ALL, OF_THE_EMBEDDED, PROFILES, in_xml
from errata.warehouse.roles import DEFAULT_DATABASES, GRANTS, Role
from errata.warehouse.row_policies import granted_tables, policies

# Resident memory overshoots the engine's own limit by 280 to 440 MB.
OVERSHOOT_BYTES = 600 << 20
SMALLEST_LIMIT_BYTES = 400 << 20
# Each entry takes half a megabyte of the statements' memory, even an empty one.
MOST_CONNECTIONS = 256
# Functions that read any file of this process, for any user. A user-defined function of the same name takes
# precedence over the engine's.
CLOSED_FUNCTIONS = ("file",)
CLOSED_FUNCTION = "CREATE FUNCTION {name} AS (path) -> throwIf(true, '{name}() is closed')"
PASSWORD = "<password_sha256_hex>{}</password_sha256_hex>"
SINGLE_LOGIN = "<http_authentication><server>login</server><scheme>basic</scheme></http_authentication>"


# The name under which our own listeners know each other.
CLUSTER = "errata"


@dataclass(frozen=True)
class ListenerConfiguration:
    """`shards`: `host:port` of the native protocol of each shard of a cluster, of which this one listens at
    `tcp_port`, with `|` between those of replicas; none: a warehouse of its own, without that protocol."""

    run_directory: Path
    data_directory: Path
    http_port: int
    memory_bytes: int
    login_url: str
    passwords: Mapping[Role, str]
    shards: Sequence[str] = ()
    tcp_port: int = 0

    def write(self) -> None:
        self.run_directory.mkdir(parents=True, exist_ok=True)
        self.data_directory.mkdir(parents=True, exist_ok=True)
        write_private(self.run_directory / "users.xml", self._users())
        write_private(self.run_directory / "clickhouse-local.xml", self.server_file())
        self._close_functions()

    def _close_functions(self) -> None:
        """Defines an own function in place of each function of the engine that no grant and no setting
        closes."""
        functions = self.data_directory / "user_defined"
        functions.mkdir(exist_ok=True)
        for name in CLOSED_FUNCTIONS:
            write_private(functions / f"function_{name}.sql", CLOSED_FUNCTION.format(name=name))

    def server_file(self) -> str:
        run = escape(str(self.run_directory))
        backups = escape(str(disk_path(self.run_directory.parent)))
        limit = max(self.memory_bytes - OVERSHOOT_BYTES, SMALLEST_LIMIT_BYTES)
        return f"""<clickhouse>
    <http_port>{self.http_port}</http_port>
    <listen_host>127.0.0.1</listen_host>{self._cluster()}
    <users_config>{run}/users.xml</users_config>
    <log-level>warning</log-level><logger><level>warning</level><async>false</async><log>{run}/server.log</log><size>20M</size><count>2</count></logger>
    <mark_cache_size>{64 << 20}</mark_cache_size>
    <index_mark_cache_size>{16 << 20}</index_mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
    <max_concurrent_queries>100</max_concurrent_queries>
    <max_connections>{MOST_CONNECTIONS}</max_connections>
    <max_server_memory_usage>{limit}</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>8</background_schedule_pool_size>
    <background_common_pool_size>2</background_common_pool_size>
    <background_move_pool_size>1</background_move_pool_size>
    <background_fetches_pool_size>1</background_fetches_pool_size>
    <background_message_broker_schedule_pool_size>1</background_message_broker_schedule_pool_size>
    <background_distributed_schedule_pool_size>1</background_distributed_schedule_pool_size>
    <storage_configuration><disks><{DISK}><type>local</type><path>{backups}/</path></{DISK}></disks></storage_configuration>
    <backups><allowed_disk>{DISK}</allowed_disk></backups>
    <http_authentication_servers>
        <login>
            <uri>{escape(self.login_url)}</uri>
            <connection_timeout_ms>2000</connection_timeout_ms>
            <receive_timeout_ms>2000</receive_timeout_ms>
            <send_timeout_ms>2000</send_timeout_ms>
            <max_tries>1</max_tries>
        </login>
    </http_authentication_servers>
    <http_handlers>
        <rule><url>/ping</url><handler><type>ping</type></handler></rule>
        <rule><url>/</url><handler><type>dynamic_query_handler</type><query_param_name>query</query_param_name></handler></rule>
    </http_handlers>
</clickhouse>
"""

    def _cluster(self) -> str:
        if not self.shards:
            return ""
        servers = "".join(
            f"<shard>{''.join(map(_replica, shard.split('|')))}</shard>" for shard in self.shards
        )
        return (
            f"\n    <tcp_port>{self.tcp_port}</tcp_port>"
            f"<remote_servers><{CLUSTER}>{servers}</{CLUSTER}></remote_servers>"
        )

    def _users(self) -> str:
        # The engine's own session: it may open the port and no more, and nobody else can log in under its
        # name.
        own = _user("default", SINGLE_LOGIN, "default", ("grant system listen on *.*",))
        others = "".join(
            _user(
                role.value,
                PASSWORD.format(Login(role.value, self.passwords[role]).password_hash),
                role.value,
                (*grants, *granted_tables(role)),
                DEFAULT_DATABASES.get(role, "default"),
                _policies(role),
            )
            for role, grants in GRANTS.items()
        )
        quotas = "<quotas><default/></quotas>"
        profiles = in_xml("default", (*OF_ALL, *OF_THE_EMBEDDED)) + "".join(
            in_xml(role.value, (*profile, *OF_THE_EMBEDDED)) for role, profile in PROFILES.items()
        )
        profiles = f"<profiles>{profiles}</profiles>"
        return f"<clickhouse>\n{profiles}\n{quotas}\n<users>\n{own}{others}</users>\n</clickhouse>\n"


def _replica(place: str) -> str:
    host, _, port = place.rpartition(":")
    return f"<replica><host>{escape(host)}</host><port>{int(port)}</port></replica>"


def users_file(logins: Logins) -> str:
    """The users of a server of one's own, for its `users.d`: it takes them without a restart."""
    profiles = "".join(in_xml(role.value, PROFILES[role]) for role in logins)
    users = "".join(
        _user(
            login.name,
            PASSWORD.format(login.password_hash),
            role.value,
            (*GRANTS[role], *granted_tables(role)),
            DEFAULT_DATABASES.get(role, "default"),
            _policies(role),
            networks="::/0",
        )
        for role, login in logins.items()
    )
    return f"<clickhouse>\n<profiles>{profiles}</profiles>\n<users>\n{users}</users>\n</clickhouse>\n"


def _policies(role: Role) -> str:
    by_database: dict[str, str] = {}
    for name, condition in policies(role).items():
        database, _, table = name.partition(".")
        policy = f"<{table}><filter>{escape(condition)}</filter></{table}>"
        by_database[database] = by_database.get(database, "") + policy
    inner = "".join(f"<{database}>{tables}</{database}>" for database, tables in by_database.items())
    return f"<databases>{inner}</databases>" if inner else ""


def _user(
    name: str,
    authentication: str,
    profile: str,
    grants: tuple[str, ...],
    database: str = "default",
    policies: str = "",
    networks: str = "127.0.0.1",
) -> str:
    queries = "".join(f"<query>{escape(grant)}</query>" for grant in grants)
    return (
        f"<{name}>{authentication}<networks><ip>{networks}</ip></networks><profile>{profile}</profile>"
        f"<default_database>{database}</default_database>{policies}"
        f"<quota>default</quota><grants>{queries}</grants></{name}>\n"
    )
