"""The warehouse that each setting leads to, where the parts of the service are started one by one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from errata.doctor.finding import Finding
from errata.errors import ErrataError
from errata.reports import formats
from errata.warehouse.addresses import addresses_of, place_of
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.logins import Login
from errata.warehouse.migrations import MigrationsUnknown, planned
from errata.warehouse.presence import accepts_connections, answers_ping
from errata.warehouse.replicas import NotReplicated, require_replicas
from errata.warehouse.roles import Role
from errata.warehouse.server import ServerTooOld, SeveralServers, require_one_server, require_version
from errata.warehouse.topology import NotOfCluster, ShardsMissing, whole
from errata.warehouse.users import UsersUnprotected, require_policies

ADMIN = "ERRATA_WAREHOUSE_ADMIN_URL"
ROLES: Mapping[str, Role] = {
    ADMIN: Role.ADMIN,
    "ERRATA_WAREHOUSE_URL": Role.INGEST,
    "ERRATA_WAREHOUSE_BUILD_URL": Role.BUILD,
    "ERRATA_WAREHOUSE_READ_URL": Role.READ,
    "ERRATA_WAREHOUSE_ANALYST_URL": Role.ANALYST,
}
# Who may see which server it is and what was migrated; others see nothing of it, and no refusal either.
WHO_SEE_ALL = (ADMIN, "ERRATA_WAREHOUSE_BUILD_URL")
CLUSTER = "ERRATA_WAREHOUSE_CLUSTER"
WITHIN_SECONDS = 10
AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"
# The database that a user begins in is not made yet.
UNKNOWN_DATABASE = "UNKNOWN_DATABASE"
MIGRATE = "Run this version's `errata migrate`"


@dataclass(frozen=True)
class Setting:
    """A variable of the environment, and one address that it leads to."""

    variable: str
    url: str

    @property
    def login(self) -> Login:
        return Login.of(self.url)

    @property
    def address(self) -> str:
        return place_of(self.url)

    def with_login(self, login: Login) -> str:
        """The URL of another user."""
        user = f"{quote(login.name, safe='')}:{quote(login.password, safe='')}"
        return urlsplit(self.url)._replace(netloc=f"{user}@{self.address}").geturl()


def findings(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Of each setting whether it leads to a server that takes its user; then of the servers."""
    usable = []
    for variable in ROLES:
        for setting in _addresses(variable, environ.get(variable, "")):
            found = setting if isinstance(setting, Finding) else _sign_in(setting)
            yield found
            if isinstance(setting, Setting) and not found.remedy:
                usable.append(setting)
    variable = next((one.variable for one in usable if one.variable in WHO_SEE_ALL), "")
    if seeing := [setting for setting in usable if setting.variable == variable]:
        yield from _servers(usable, seeing)
        if cluster := environ.get(CLUSTER):
            yield from _shards(cluster, seeing)
            for setting in seeing:
                yield from _schema(usable, [setting])
        else:
            yield from _schema(usable, seeing)
    elif usable:
        yield Finding("schema", f"not checked: requires the user of {' or '.join(WHO_SEE_ALL)}")


def are_set(environ: Mapping[str, str]) -> bool:
    return any(environ.get(variable) for variable in ROLES)


def _addresses(variable: str, url: str) -> "list[Setting] | list[Finding]":
    if not url:
        return []
    try:
        return [Setting(variable, address) for address in addresses_of(url)]
    except ValueError as error:
        return [Finding(variable, f"not a warehouse URL: {error}", f"Correct {variable}")]


def _sign_in(setting: Setting) -> Finding:
    variable, url = setting.variable, setting.url
    if not accepts_connections(url):
        remedy = f"Start ClickHouse there, open its port to this host, or correct {variable}"
        return Finding(variable, f"nothing is listening at {setting.address}", remedy)
    if not answers_ping(url):
        remedy = f"Check that {variable} has ClickHouse's HTTP port, and check the server's log"
        return Finding(variable, f"{setting.address} isn't a ClickHouse HTTP endpoint", remedy)
    warehouse = Warehouse(url, timeout_seconds=WITHIN_SECONDS)
    try:
        version = require_version(warehouse)
    except ServerTooOld as error:
        return Finding(variable, str(error), "Upgrade ClickHouse, then run `errata migrate`")
    except (WarehouseUnavailable, QueryFailed) as error:
        return _refused(setting, error.reason)
    finally:
        warehouse.close()
    return Finding(variable, f"{setting.login.name} can sign in to ClickHouse {version} at {setting.address}")


def _refused(setting: Setting, reason: str) -> Finding:
    name = setting.login.name
    if AUTHENTICATION_FAILED not in reason:
        said = f"{setting.address} refused {name}: {_without_password(reason, setting)}"
        remedy = MIGRATE if UNKNOWN_DATABASE in reason else "Check the server's log"
        return Finding(setting.variable, said, remedy)
    said = f"{setting.address} rejected the sign-in of {name}: unknown user or wrong password"
    remedy = (
        "Correct the user and its password"
        if setting.variable == ADMIN
        else "Correct the password, or run `errata migrate`, which sets the configured one"
    )
    return Finding(setting.variable, said, remedy)


def _without_password(text: str, setting: Setting) -> str:
    for password in (setting.login.password, urlsplit(setting.url).password or ""):
        text = text.replace(password, "…") if password else text
    return text


def _servers(usable: list[Setting], seeing: list[Setting]) -> Iterator[Finding]:
    """Each address must lead to one server, and to one of those that `seeing` names."""
    login, known = seeing[0].login, set[str]()
    places = " and ".join(setting.address for setting in seeing)
    for setting in [*seeing, *(one for one in usable if one not in seeing)]:
        if setting not in seeing and setting.address in {one.address for one in seeing}:
            continue
        try:
            server = require_one_server(setting.with_login(login))
        except SeveralServers as error:
            yield Finding(
                setting.variable, str(error), f"Use the address of one server in {setting.variable}"
            )
            continue
        except ErrataError:
            # It has not got this user.
            server = ""
        if setting in seeing:
            known.add(server)
        elif server not in known:
            said = f"{setting.address} isn't the same server as {places} in {seeing[0].variable}"
            yield Finding(setting.variable, said, f"Use the same server in {setting.variable}")


def _shards(cluster: str, seeing: list[Setting]) -> Iterator[Finding]:
    """The shard of each server, and the shards that no address leads to."""
    try:
        by_shard = whole(",".join([seeing[0].url, *(setting.address for setting in seeing[1:])]), cluster)
    except (NotOfCluster, ShardsMissing) as error:
        yield Finding(CLUSTER, str(error), "See docs/cluster.md")
    else:
        listed = (f"shard {number} at {', '.join(places)}" for number, places in by_shard.items())
        yield Finding(CLUSTER, f"{cluster} has {', '.join(listed)}")


def _schema(usable: list[Setting], seeing: list[Setting]) -> Iterator[Finding]:
    servers = [Warehouse(setting.url, timeout_seconds=WITHIN_SECONDS) for setting in seeing]
    logins = {ROLES[one.variable]: one.login for one in usable if one.variable != ADMIN}
    try:
        plan = planned(servers[0])
        if plan.migrations or plan.marts:
            counts = (len(plan.migrations), "migration"), (len(plan.marts), "mart")
            said = " and ".join(formats.plural(number, noun) for number, noun in counts if number)
            yield Finding("schema", f"the warehouse lacks {said} of this version", MIGRATE)
            return
        yield Finding("schema", "the warehouse is up to date")
        if len(servers) > 1:
            require_replicas(servers)
        # Users are each server's own.
        for server in servers:
            require_policies(server, logins)
    except MigrationsUnknown as error:
        yield Finding("schema", str(error), "Install that version on this host")
    except NotReplicated as error:
        yield Finding(seeing[0].variable, str(error), "See docs/cluster.md")
    except UsersUnprotected as error:
        yield Finding("users", str(error), MIGRATE)
    except (WarehouseUnavailable, QueryFailed) as error:
        yield Finding("schema", f"can't be read: {_without_password(error.reason, seeing[0])}", MIGRATE)
    except ErrataError as error:
        yield Finding("schema", str(error), MIGRATE)
    else:
        yield Finding(
            "users", f"{', '.join(login.name for login in logins.values())} have the right permissions"
        )
    finally:
        for server in servers:
            server.close()
