"""Jobs of source maps: reading variants through them, and removing uploads that no kept event uses."""

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.variant_mapping import VariantMapping

MAPPING_SECONDS = 5.0


def variant_mapping_job(context: Context) -> Job:
    schedule = FairSchedule()

    def work(run: Run) -> None:
        def map_project(project_id: int) -> None:
            mapping = VariantMapping(context.state, context.warehouse, context.read, project_id)
            while run.goes_on() and mapping.map_batch():
                pass

        schedule.each(run, context.state.projects.ids(), "project {}".format, map_project)

    return Job("map_variants", work, MAPPING_SECONDS)
