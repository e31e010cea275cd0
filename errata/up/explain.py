"""`errata explain`: the statements of a query file or of a page, as the warehouse is asked them."""

import os
import subprocess
import sys
from pathlib import Path

from errata.state import Store
from errata.state.errors import ProjectNotFound
from errata.state.projects import Project
from errata.up.builds import warehouse_url
from errata.up.data_directory import DataDirectory
from errata.warehouse import sql
from errata.warehouse.asked import Asked
from errata.warehouse.client import Warehouse
from errata.warehouse.provenance import QuestionNotFound, question_of
from errata.warehouse.roles import Role
from errata.warehouse.runnable import runnable, text_of
from errata.warehouse.shards import connections_of

READ_URL = "ERRATA_WAREHOUSE_READ_URL"


def explain(data: Path, query: str, slug: str, address: str) -> int:
    """Raises QuestionNotFound, ProjectNotFound and ServiceNotRunning."""
    if query and query not in sql.queries():
        raise QuestionNotFound(query)
    directory = DataDirectory(data.resolve())
    url = os.environ.get(READ_URL) or warehouse_url(data, Role.READ, READ_URL)
    environment = {
        "ERRATA_STATE_URL": directory.state_url,
        "ERRATA_SECRET": os.environ.get("ERRATA_SECRET") or directory.secret(),
        **os.environ,
        READ_URL: url,
        # Nothing is written.
        "ERRATA_WAREHOUSE_URL": url,
    }
    if address:
        # Only the pages know what they ask.
        arguments = [address, *([query] if query else [])]
        return subprocess.call([sys.executable, "-m", "dashboards.explain", *arguments], env=environment)
    store = Store.open(environment["ERRATA_STATE_URL"], environment["ERRATA_SECRET"].encode())
    connected = connections_of(url, os.environ.get("ERRATA_WAREHOUSE_CLUSTER", ""), store.shards)
    read = connected(url, lambda url, cache: Warehouse(url, cache=cache), None)
    print(of_query(store, read, query, slug))  # noqa: T201
    read.close()
    store.close()
    return 0


def of_query(store: Store, read: Warehouse, query: str, slug: str) -> str:
    """The statement for a project, the first one unless it is named; other parameters stay as they are."""
    _, project = project_of(store, slug)
    return printed(read.asked(sql.query(query), {"projects": [project.id], "project_id": project.id}))


def project_of(store: Store, slug: str) -> tuple[int, Project]:
    """The project with its organization. Raises ProjectNotFound."""
    for organization_id, project in store.projects.all():
        if slug in ("", project.slug):
            return organization_id, project
    raise ProjectNotFound(slug)


def printed(asked: Asked) -> str:
    """A question's statement with its name, its purpose and who may run it."""
    name = question_of(asked.statement)
    purpose = sql.parse(sql.queries()[name]).header["purpose"]
    return f"-- {name}: {purpose}\n-- as the warehouse user {asked.user}\n{text_of(runnable(asked))};\n"
