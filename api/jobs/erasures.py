"""The job that carries out erasures, one after another."""

from api.context import Context
from api.erasures.plan import Steps
from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.job import Job, Run
from errata.warehouse.queries.erasures.log import unfinished

NAME = "erasures"
EVERY_SECONDS = 5.0


def erasure_job(context: Context) -> Job:
    return Job(NAME, lambda run: carry_out(context, run), EVERY_SECONDS)


def carry_out(context: Context, run: Run) -> None:
    """Takes the next step of each erasure. A failing one holds up no other."""
    failed: Failed = []
    for project_id, erasure_id in unfinished(context.warehouse):
        if not run.goes_on():
            break
        with noted_in(failed, f"erasure {erasure_id}"):
            Steps(context).go_on(project_id, erasure_id, run.goes_on)
    raise_if_any(failed)
