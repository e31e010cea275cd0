"""The users of a ClickHouse server of one's own: each program's, with its limits, grants and row policies.

The embedded warehouse takes the same from its users file (`configuration.py`).
"""

from collections.abc import Iterator

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.logins import Login, Logins
from errata.warehouse.profiles import PROFILES, in_sql
from errata.warehouse.roles import DEFAULT_DATABASES, GRANTS, Role
from errata.warehouse.row_policies import granted_tables, policies, tables_of_projects

# Codes of a server that keeps its users in files alone, and of a user who may not make any.
NO_STORAGE, NOT_ENOUGH_PRIVILEGES = 514, 497


class UsersRefused(ErrataError):
    """The server takes no users by SQL, and has not got them from a file."""

    code = "users_refused"

    def __init__(self, reason: str, names: list[str]) -> None:
        super().__init__(
            f"The server doesn't allow creating {', '.join(names)} ({reason}). Write them to a file for "
            f"its users.d with `errata migrate --users-file FILE`, then run `errata migrate` again"
        )
        self.names = names


class UsersUnprotected(ErrataError):
    """A user reads rows of projects that a statement does not name."""

    code = "users_unprotected"

    def __init__(self, user: str, tables: list[str]) -> None:
        shown = ", ".join(tables[:3]) + (f" and {len(tables) - 3} more" if len(tables) > 3 else "")
        super().__init__(
            f"{user} lacks this version's row policies on {shown}. Regenerate the users file with "
            f"`errata migrate --users-file FILE`"
        )
        self.tables = tables


def ensure_users(warehouse: Warehouse, logins: Logins) -> None:
    """Creates the users, or brings them to this version. Raises UsersRefused and UsersUnprotected."""
    try:
        for statement in statements(logins):
            warehouse.execute(statement)
    except QueryFailed as error:
        if error.clickhouse_code not in (NO_STORAGE, NOT_ENOUGH_PRIVILEGES):
            raise
        _require_users(warehouse, logins, error.reason)
    require_policies(warehouse, logins)


def require_policies(warehouse: Warehouse, logins: Logins) -> None:
    """Raises UsersUnprotected if a user reads rows without the policies of its role; changes nothing."""
    for role, login in logins.items():
        _require_policies(warehouse, role, login)


def statements(logins: Logins) -> Iterator[str]:
    """Each can be executed again. Once a table has policies, a user without any may read nothing of it: the
    one who migrates, and with whose rights views for analysts read, reads everything."""
    for table in (*tables_of_projects(), *policies(Role.ANALYST)):
        yield (
            f"create row policy or replace `{Role.ADMIN}` on {table} as permissive for select using true "
            "to current_user"
        )
    for role, login in logins.items():
        name, profile = _quoted(login.name), _quoted(role.value)
        yield f"create settings profile or replace {profile} settings {in_sql(PROFILES[role])}"
        known = (
            f"identified with sha256_hash by '{login.password_hash}' "
            f"default database {DEFAULT_DATABASES.get(role, 'default')} settings profile {profile}"
        )
        yield f"create user if not exists {name} {known}"
        yield f"alter user {name} {known}"
        for grant in (*GRANTS[role], *granted_tables(role)):
            yield f"{grant} to {name}"
        for table, condition in policies(role).items():
            yield (
                f"create row policy or replace {profile} on {table} as permissive for select "
                f"using {condition} to {name}"
            )


def _require_users(warehouse: Warehouse, logins: Logins, reason: str) -> None:
    names = [login.name for login in logins.values()]
    rows = warehouse.rows(sql.build_statement("missing_users"), {"names": names})
    if rows:
        raise UsersRefused(reason, [row["name"] for row in rows])


def _require_policies(warehouse: Warehouse, role: Role, login: Login) -> None:
    wanted = policies(role)
    rows = warehouse.rows(
        sql.build_statement("missing_row_policies"),
        {"user": login.name, "tables": list(wanted), "conditions": list(wanted.values())},
    )
    if rows:
        raise UsersUnprotected(login.name, [row["name"] for row in rows])


def _quoted(name: str) -> str:
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
