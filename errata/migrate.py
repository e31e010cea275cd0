"""`errata migrate`: warehouse and state store brought to this version."""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from errata.backup.warehouse import require_restored
from errata.errors import InvalidSettings
from errata.private_file import write_private
from errata.process_log.configured import configure
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.state.database import Database
from errata.state.shards import FIRST
from errata.up.builds import warehouse_url
from errata.up.credentials import ensure_first_account
from errata.up.data_directory import DataDirectory, DataIncomplete
from errata.warehouse import sql
from errata.warehouse.addresses import addresses_of
from errata.warehouse.client import Warehouse
from errata.warehouse.configuration import users_file
from errata.warehouse.forecast import forecasts, told
from errata.warehouse.logins import Login, Logins
from errata.warehouse.migrations import migrate, planned
from errata.warehouse.replicas import lacking
from errata.warehouse.roles import Role
from errata.warehouse.server import require_one_server, require_version
from errata.warehouse.topology import at, whole
from errata.warehouse.users import ensure_users

# Those of builds have rows before the first event.
WITH_EVENTS = ["errata_raw", "errata_mart"]

log = logging.getLogger("errata.migrate")


@dataclass(frozen=True)
class Options:
    """`first_account`: the directory for its credentials, made if there is none; `users`: the file to write
    the warehouse's users to, and do nothing else; `is_plan`: say what would be done, and do nothing; `data`:
    say so of the running service of this data directory; `is_check`: say what is left to be done, and fail if
    anything is."""

    first_account: Path | None = None
    users: Path | None = None
    is_plan: bool = False
    is_check: bool = False
    data: Path | None = None


def migrate_all(environ: Mapping[str, str], options: Options) -> int:
    if options.data is not None:
        return _tell_of(options.data)
    configure("migration", environ, level=logging.INFO, text="%(asctime)s %(name)s %(message)s")
    settings = load(CoreSettings, environ)
    logins = _logins(settings)
    if options.users is not None:
        write_private(options.users, users_file(logins))
        return 0
    addresses = addresses_of(settings.admin_url)
    for address in addresses:
        require_one_server(address)
    shards = _by_shard(settings.admin_url, settings.warehouse_cluster)
    servers = [server for of_shard in shards.values() for server in of_shard]
    code = 0
    if options.is_plan:
        sys.stdout.write("\n".join(_told(shards, logins)) + "\n")
    elif options.is_check:
        left = [*_left(shards), *_changed(shards), *_left_in_state(settings.state_url.get_secret_value())]
        sys.stdout.write("\n".join(left or ["nothing to do: every server is at this version"]) + "\n")
        code = int(bool(left))
    else:
        for server in servers:
            require_version(server)
        store = Store.open(
            settings.state_url.get_secret_value(),
            settings.secret.get_secret_value().encode(),
            previous=settings.previous_secrets,
        )
        _require_one_service(servers, store)
        for of_shard in shards.values():
            _migrate_warehouse(of_shard, logins)
        _migrate_state(store, settings.base_url, options.first_account)
        if settings.warehouse_cluster:
            for number in store.shards.add(shards):
                log.info("added shard %d, at %s", number, shards[number][0].address)
        store.close()
    for server in servers:
        server.close()
    return code


def _tell_of(data: Path) -> int:
    """Prints what a start with this version would do to the running service of a data directory."""
    warehouse = Warehouse(warehouse_url(data, Role.ADMIN, "ERRATA_WAREHOUSE_ADMIN_URL"))
    plan = planned(warehouse)
    lines = [f"apply {file.path.stem}" for file in plan.migrations]
    lines += told(plan.marts, forecasts(warehouse, plan))
    lines += _left_in_state(DataDirectory(data.resolve()).state_url)
    warehouse.close()
    sys.stdout.write("\n".join(lines or ["nothing to do: the data is already at this version"]) + "\n")
    return 0


def _by_shard(url: str, cluster: str) -> Mapping[int, Sequence[Warehouse]]:
    """The servers of each shard, its replicas. Outside of a cluster there is one shard. Raises
    WarehouseUnavailable unless all answer, and ShardsMissing."""
    if not cluster:
        return {FIRST: [Warehouse(address) for address in addresses_of(url)]}
    return {
        number: [Warehouse(at(url, (place,))) for place in places]
        for number, places in whole(url, cluster).items()
    }


def _migrate_warehouse(servers: Sequence[Warehouse], logins: Logins) -> None:
    """Users are each server's own."""
    for name in migrate(servers[0], servers[1:]):
        log.info("applied %s", name)
    for server in servers:
        ensure_users(server, logins)


def _logins(settings: CoreSettings) -> Logins:
    """Each program's own user. Raises InvalidSettings where two would be one."""
    urls = {
        Role.INGEST: ("ERRATA_WAREHOUSE_URL", settings.warehouse_url),
        Role.BUILD: ("ERRATA_WAREHOUSE_BUILD_URL", settings.warehouse_build_url),
        Role.READ: ("ERRATA_WAREHOUSE_READ_URL", settings.warehouse_read_url),
        Role.ANALYST: ("ERRATA_WAREHOUSE_ANALYST_URL", settings.warehouse_analyst_url),
    }
    names = {Login.of(settings.admin_url).name: "ERRATA_WAREHOUSE_ADMIN_URL"}
    logins, problems = dict[Role, Login](), list[str]()
    for role, (variable, url) in urls.items():
        if url is None and role is Role.ANALYST:
            continue
        if url is None:
            problems.append(f"{variable}: required, with its own user")
            continue
        if len(addresses_of(url.get_secret_value())) > len(addresses_of(settings.admin_url)):
            problems.append(f"{variable}: lists more servers than ERRATA_WAREHOUSE_ADMIN_URL")
        login = Login.of(url.get_secret_value())
        if other := names.get(login.name):
            problems.append(f"{variable}: names {login.name}, as {other} does; it needs its own user")
        names[login.name] = variable
        logins[role] = login
    if problems:
        raise InvalidSettings(problems)
    return logins


def _told(shards: Mapping[int, Sequence[Warehouse]], logins: Logins) -> Iterator[str]:
    for number, servers in shards.items():
        of_shard = f" (shard {number})" if len(shards) > 1 else ""
        for server in servers:
            yield f"ClickHouse {require_version(server)} at {server.address}{of_shard}"
        yield from _left({number: servers})
        plan = planned(servers[0])
        yield from told(plan.marts, forecasts(servers[0], plan))
        yield "recreate this version's views"
        yield from (f"create or update the user {login.name}" for login in logins.values())
    yield "migrate the state store"


def _left(shards: Mapping[int, Sequence[Warehouse]]) -> Iterator[str]:
    """Migrations and tables that each server lacks. What is applied on the first replica of a shard reaches
    the others."""
    for first, *others in shards.values():
        yield from (f"apply {file.path.stem} on {first.address}" for file in planned(first).migrations)
        for replica in others:
            missing = lacking(first, replica)
            yield from (f"create {name} on {replica.address}, from {first.address}" for name in missing)


def _changed(shards: Mapping[int, Sequence[Warehouse]]) -> Iterator[str]:
    for first, *_ in shards.values():
        yield from (f"make {file.name} anew on {first.address}" for file in planned(first).marts)


def _left_in_state(url: str) -> Iterator[str]:
    state = Database(url, is_read_only=True)
    yield from (f"migrate the state store to {revision}" for revision in state.pending())
    state.close()


def _require_one_service(servers: Sequence[Warehouse], store: Store) -> None:
    """Raises DataIncomplete where the warehouse is of a service and the account store is new, or the other
    way round, and where a restore to the server has not finished; StateTooNew for a newer account store."""
    store.database.pending()
    restore = "restore a backup to an empty server and an empty account store"
    is_new = store.database.revision() is None or not store.accounts.exist()
    for server in servers:
        require_restored(server)
        _require_of_accounts(server, is_new=is_new, restore=restore)
    if not is_new and all(planned(server).is_first for server in servers):
        raise DataIncomplete(
            f"The account store has accounts, but the warehouse at {servers[0].address} is empty",
            f"Use the warehouse that belongs to this account store, or {restore}",
        )


def _require_of_accounts(server: Warehouse, *, is_new: bool, restore: str) -> None:
    address = server.address
    stored = server.rows(sql.build_statement("rows_of_tables"), {"databases": WITH_EVENTS})
    rows = sum(row["row_count"] for row in stored)
    if is_new and rows:
        raise DataIncomplete(
            f"The warehouse at {address} has {rows:,} rows of a service, but the account store is empty",
            f"Restore the account store, or {restore}. For a new, empty service, use an empty warehouse",
        )


def _migrate_state(store: Store, base_url: str, first_account: Path | None) -> None:
    store.migrate()
    store.secrets.reseal()
    if first_account is not None:
        directory = DataDirectory(first_account)
        directory.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ensure_first_account(directory, store, base_url)
