"""The job that copies names of projects into the warehouse, where analysts read them."""

from api.context import Context
from api.jobs.job import Job, Run
from errata.state.projects import Project
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

TABLE = "errata_raw.projects"


def project_names_job(context: Context) -> Job:
    def work(_run: Run) -> None:
        projects = {project.id: project for _, project in context.state.projects.all()}
        reachable = context.warehouse.reachable(projects)
        store_projects(context.warehouse, [projects[each] for each in reachable])

    return Job("project_names", work)


def store_projects(warehouse: Warehouse, projects: list[Project]) -> int:
    """Stores new and renamed projects, and returns their count."""
    question = sql.query("stored_projects")
    stored = {row["project_id"]: row for shard in warehouse.there() for row in shard.rows(question)}
    rows = [{"project_id": one.id, "slug": one.slug, "name": one.name} for one in projects]
    changed = [row for row in rows if row != stored.get(row["project_id"])]
    warehouse.insert_rows(TABLE, changed)
    return len(changed)
