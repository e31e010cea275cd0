"""`errata analyst`: what an analyst needs to read the warehouse of a running service."""

import json
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import yaml

from errata.state import Store
from errata.up.builds import ServiceNotRunning
from errata.up.data_directory import DataDirectory
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import DEFAULT_DATABASES, Role, load_or_create_passwords

DATABASE = DEFAULT_DATABASES[Role.ANALYST]


@dataclass(frozen=True)
class Access:
    """`projects` are ids by slug."""

    address: str
    user: str
    password: str
    projects: dict[str, int]

    @property
    def url(self) -> str:
        return f"http://{self.user}:{self.password}@{self.address}/{DATABASE}"


def print_access(data: Path, form: str) -> int:
    """As lines to read, as JSON, as the address alone, or as dbt's sources."""
    access = access_to(data)
    print(FORMS[form](access))  # noqa: T201
    return 0


def access_to(data: Path) -> Access:
    """Raises ServiceNotRunning."""
    directory = DataDirectory(data.resolve())
    if not directory.warehouse_address_path.exists():
        raise ServiceNotRunning(directory.path)
    store = Store.open(directory.state_url, directory.secret().encode())
    try:
        projects = {project.slug: project.id for _, project in store.projects.all()}
    finally:
        store.close()
    return Access(
        directory.warehouse_address_path.read_text().strip(),
        Role.ANALYST.value,
        load_or_create_passwords(directory.warehouse_passwords_path)[Role.ANALYST],
        projects,
    )


def _lines(access: Access) -> str:
    facts = {
        "address": f"http://{access.address}",
        "user": access.user,
        "password": access.password,
        "database": DATABASE,
        **{f"project {slug}": str(number) for slug, number in sorted(access.projects.items())},
    }
    widest = max(map(len, facts))
    return "\n".join(f"{name:<{widest}}  {value}" for name, value in facts.items())


def _json(access: Access) -> str:
    host, _, port = access.address.rpartition(":")
    facts = {
        "address": f"http://{access.address}",
        "host": host,
        "port": int(port),
        "user": access.user,
        "password": access.password,
        "database": DATABASE,
        "projects": access.projects,
    }
    return json.dumps(facts, indent=2)


def _url(access: Access) -> str:
    return access.url


def _dbt(access: Access) -> str:
    """A file of sources: https://docs.getdbt.com/reference/source-properties."""
    warehouse = Warehouse(access.url.rpartition("/")[0])
    try:
        rows = warehouse.rows(sql.build_statement("analysis_columns"))
    finally:
        warehouse.close()
    tables = [
        {
            "name": view,
            "description": of_view[0]["purpose"],
            "columns": [{"name": row["column"], "description": row["column_purpose"]} for row in of_view],
        }
        for view, of_view in ((view, list(of_view)) for view, of_view in groupby(rows, itemgetter("view")))
    ]
    source = {"name": DATABASE, "schema": DATABASE, "tables": tables}
    return yaml.safe_dump({"version": 2, "sources": [source]}, sort_keys=False, width=110)


FORMS = {"text": _lines, "json": _json, "url": _url, "dbt": _dbt}
