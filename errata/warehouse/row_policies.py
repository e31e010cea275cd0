"""Row policies: a user's statement reads only rows of the projects it names, from whatever table.

A statement names them in `log_comment`, the one setting of the embedded engine that a filter can read. The
list is a constant to the engine, so the filter prunes by the primary key as a condition would. A statement
reads no rows of a mart unless it names versions, so unpublished and replaced rows cannot be read by mistake.

A statement whose text somebody else wrote could choose a setting itself, so its query id names its project:
only the request has that, not the text.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from uuid import uuid4

from errata.warehouse import sql
from errata.warehouse.analysis import analysis_views
from errata.warehouse.published import names_versions, versioned_marts
from errata.warehouse.roles import Role

PROJECTS_SETTING = "log_comment"
_PROJECTS = f"arrayMap(one -> toUInt32OrZero(one), splitByChar(',', getSetting('{PROJECTS_SETTING}')))"
QUERY_ID = "project-"
OF_QUERY_ID = (
    f"not startsWith(queryID(), '{QUERY_ID}') or project_id = toUInt32OrZero(splitByChar('-', queryID())[2])"
)
NAMED = f"has({_PROJECTS}, project_id)"
# Project ids begin at 1: a statement without projects reads nothing, a program's own statement everything.
PROJECTS: Mapping[Role, str] = {
    Role.READ: NAMED,
    Role.BUILD: f"getSetting('{PROJECTS_SETTING}') = '' or {NAMED}",
    Role.INGEST: f"getSetting('{PROJECTS_SETTING}') = '' or {NAMED}",
}


@cache
def tables_of_projects() -> tuple[str, ...]:
    """Tables whose rows belong to a project, as `database.table`."""
    return tuple(
        table
        for file in (*sql.migrations(), *sql.models())
        for statement in file.statements
        if statement.startswith("create table ") and "\n    project_id UInt32" in statement
        for table in (statement.split()[2],)
        if table.startswith(("errata_raw.", "errata_mart."))
    )


def granted_tables(role: Role) -> tuple[str, ...]:
    """Grants of tables to users who read rows only through policies."""
    return tuple(f"grant select on {table}" for table in tables_of_projects()) if role is Role.READ else ()


def policies(role: Role) -> Mapping[str, str]:
    """The filters of a role by table, as `database.table`; none: all rows."""
    if role is Role.ANALYST:
        return {view.name: OF_QUERY_ID for view in analysis_views()}
    if role not in PROJECTS:
        return {}
    marts = versioned_marts()
    return {
        table: f"({PROJECTS[role]}) and {names_versions(table)}" if table in marts else PROJECTS[role]
        for table in tables_of_projects()
    }


def query_id_of(project_id: int) -> str:
    """Of a statement that reads the views for analysts, and of this project alone."""
    return f"{QUERY_ID}{project_id}-{uuid4().hex}"


def named(projects: Iterable[int]) -> str:
    """The setting's value for a statement about these projects."""
    return ",".join(map(str, projects))
