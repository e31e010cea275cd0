"""Row policies: a user's statement reads the rows of the projects that it names, whatever tables it reads.

A statement names them in `log_comment`, the one setting of the embedded engine that a filter can read.
Its list is a constant to the engine, so the filter prunes by the primary key as a condition would. Of marts
it reads nothing unless it says which versions: what is not published, or replaced, can be read by no mistake.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from errata.warehouse import sql
from errata.warehouse.published import names_versions, versioned_marts
from errata.warehouse.roles import Role

PROJECTS_SETTING = "log_comment"
_PROJECTS = f"arrayMap(one -> toUInt32OrZero(one), splitByChar(',', getSetting('{PROJECTS_SETTING}')))"
NAMED = f"has({_PROJECTS}, project_id)"
# Project ids begin at 1: a statement that names none reads nothing, one of a program reads everything.
PROJECTS: Mapping[Role, str] = {
    Role.READ: NAMED,
    Role.BUILD: f"getSetting('{PROJECTS_SETTING}') = '' or {NAMED}",
    Role.INGEST: f"getSetting('{PROJECTS_SETTING}') = '' or {NAMED}",
}


@cache
def tables_of_projects() -> tuple[str, ...]:
    """Those of rows that belong to a project, as `database.table`."""
    return tuple(
        table
        for file in (*sql.migrations(), *sql.models())
        for statement in file.statements
        if statement.startswith("create table ") and "\n    project_id UInt32" in statement
        for table in (statement.split()[2],)
        if table.startswith(("errata_raw.", "errata_mart."))
    )


def policies(role: Role) -> Mapping[str, str]:
    """By table, as `database.table`, what its rows fulfil that a statement of the role reads; none: all."""
    if role not in PROJECTS:
        return {}
    marts = versioned_marts()
    return {
        table: f"({PROJECTS[role]}) and {names_versions(table)}" if table in marts else PROJECTS[role]
        for table in tables_of_projects()
    }


def named(projects: Iterable[int]) -> str:
    """The setting's value for a statement about these projects."""
    return ",".join(map(str, projects))
