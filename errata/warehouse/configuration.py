"""What the embedded warehouse reads at its start: one server file, one users file."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from errata.private_file import write_private
from errata.warehouse.roles import GRANTS, Role

# Resident memory overshoots the engine's own limit by 280 to 440 MB.
OVERSHOOT_BYTES = 600 << 20
SMALLEST_LIMIT_BYTES = 400 << 20


@dataclass(frozen=True)
class ListenerConfiguration:
    run_directory: Path
    data_directory: Path
    http_port: int
    memory_bytes: int
    passwords: Mapping[Role, str]

    def write(self) -> None:
        self.run_directory.mkdir(parents=True, exist_ok=True)
        self.data_directory.mkdir(parents=True, exist_ok=True)
        write_private(self.run_directory / "users.xml", self._users())
        write_private(self.run_directory / "clickhouse-local.xml", self._server())

    def _server(self) -> str:
        run = escape(str(self.run_directory))
        limit = max(self.memory_bytes - OVERSHOOT_BYTES, SMALLEST_LIMIT_BYTES)
        return f"""<clickhouse>
    <http_port>{self.http_port}</http_port>
    <listen_host>127.0.0.1</listen_host>
    <users_config>{run}/users.xml</users_config>
    <log-level>warning</log-level><logger><level>warning</level><log>{run}/server.log</log><size>20M</size><count>2</count></logger>
    <mark_cache_size>{64 << 20}</mark_cache_size>
    <index_mark_cache_size>{16 << 20}</index_mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
    <max_concurrent_queries>100</max_concurrent_queries>
    <max_server_memory_usage>{limit}</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>8</background_schedule_pool_size>
    <background_common_pool_size>2</background_common_pool_size>
    <background_move_pool_size>1</background_move_pool_size>
    <background_fetches_pool_size>1</background_fetches_pool_size>
    <background_message_broker_schedule_pool_size>1</background_message_broker_schedule_pool_size>
    <background_distributed_schedule_pool_size>1</background_distributed_schedule_pool_size>
</clickhouse>
"""

    def _users(self) -> str:
        # The listener's own session logs in as `default` without a password: it may open the port, no more.
        own = _user("default", "", "default", ("grant system listen on *.*",))
        others = "".join(
            _user(
                role.value,
                hashlib.sha256(self.passwords[role].encode()).hexdigest(),
                PROFILES[role],
                grants,
                DATABASES.get(role, "default"),
            )
            for role, grants in GRANTS.items()
        )
        quotas = "<quotas><default/></quotas>"
        return f"<clickhouse>\n{PROFILES_XML}{quotas}\n<users>\n{own}{others}</users>\n</clickhouse>\n"


PROFILES: Mapping[Role, str] = {
    Role.ADMIN: "default",
    Role.INGEST: "ingest",
    Role.BUILD: "build",
    Role.READ: "read",
    Role.ANALYST: "analyst",
}
DATABASES: Mapping[Role, str] = {Role.ANALYST: "errata_analysis"}

PROFILES_XML = """<profiles>
    <default><async_insert>0</async_insert></default>
    <ingest><async_insert>0</async_insert><max_execution_time>20</max_execution_time></ingest>
    <build>
        <async_insert>0</async_insert>
        <max_threads>1</max_threads>
        <max_memory_usage>1200000000</max_memory_usage>
        <!-- What waits to be one part holds states of users: they take more than is counted of them. -->
        <min_insert_block_size_rows>131072</min_insert_block_size_rows>
        <min_insert_block_size_bytes>67108864</min_insert_block_size_bytes>
    </build>
    <read>
        <readonly>2</readonly>
        <max_threads>1</max_threads>
        <max_execution_time>20</max_execution_time>
        <max_memory_usage>600000000</max_memory_usage>
        <max_result_rows>1000000</max_result_rows>
        <max_result_bytes>300000000</max_result_bytes>
        <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
        <constraints>
            <max_execution_time><max>60</max></max_execution_time>
            <max_memory_usage><max>600000000</max></max_memory_usage>
            <max_result_rows><max>1000000</max></max_result_rows>
        </constraints>
    </read>
    <analyst>
        <readonly>2</readonly>
        <max_threads>1</max_threads>
        <max_execution_time>60</max_execution_time>
        <max_memory_usage>500000000</max_memory_usage>
        <max_memory_usage_for_user>600000000</max_memory_usage_for_user>
        <max_bytes_before_external_group_by>200000000</max_bytes_before_external_group_by>
        <max_bytes_before_external_sort>200000000</max_bytes_before_external_sort>
        <max_concurrent_queries_for_user>4</max_concurrent_queries_for_user>
        <max_result_rows>10000000</max_result_rows>
        <max_result_bytes>4000000000</max_result_bytes>
        <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
        <constraints>
            <!-- 0 would mean without a limit. -->
            <max_threads><min>1</min><max>2</max></max_threads>
            <max_execution_time><min>1</min><max>300</max></max_execution_time>
            <max_memory_usage><min>1</min><max>500000000</max></max_memory_usage>
            <max_memory_usage_for_user><const/></max_memory_usage_for_user>
            <max_concurrent_queries_for_user><const/></max_concurrent_queries_for_user>
            <max_result_rows><min>1</min><max>10000000</max></max_result_rows>
            <max_result_bytes><min>1</min><max>4000000000</max></max_result_bytes>
        </constraints>
    </analyst>
</profiles>
"""


def _user(
    name: str, password_sha256: str, profile: str, grants: tuple[str, ...], database: str = "default"
) -> str:
    password = (
        f"<password_sha256_hex>{password_sha256}</password_sha256_hex>"
        if password_sha256
        else "<password></password>"
    )
    queries = "".join(f"<query>{escape(grant)}</query>" for grant in grants)
    return (
        f"<{name}>{password}<networks><ip>127.0.0.1</ip></networks><profile>{profile}</profile>"
        f"<default_database>{database}</default_database>"
        f"<quota>default</quota><grants>{queries}</grants></{name}>\n"
    )
