"""Jobs of source maps: reading variants through them, and removing uploads that no kept event uses."""

import time

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.source_uploads import SourceUploads
from api.variant_mapping import VariantMapping
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.changes import Changes

MAPPING_SECONDS = 5.0
REMOVAL_SECONDS = 3600.0
# Of a run: a project with thousands of new variants goes on in the next one, after the others.
PROJECT_SECONDS = 10.0


def variant_mapping_job(context: Context) -> Job:
    changes, schedule = Changes(context.read), FairSchedule()

    def work(run: Run) -> None:
        projects = context.read.reachable(context.state.projects.ids())
        probe = changes.probe(projects) if projects else None
        if probe is None:
            return
        left = set(projects)

        def map_project(project_id: int) -> None:
            mapping = VariantMapping(context.state, context.warehouse, context.read, project_id)
            ends_at = time.monotonic() + PROJECT_SECONDS
            while mapping.map_batch():
                if not run.goes_on() or time.monotonic() > ends_at:
                    return
            left.discard(project_id)

        schedule.each(run, projects, "project {}".format, map_project)
        if not left:
            changes.note(probe)

    return Job("map_variants", work, MAPPING_SECONDS)


def source_map_removal_job(context: Context) -> Job:
    schedule = FairSchedule()

    def work(run: Run) -> None:
        now = warehouse_now(context.read)

        def remove(project_id: int) -> None:
            SourceUploads(context.warehouse, context.read, project_id).remove_unused(now, run.goes_on)

        schedule.each(run, context.state.projects.ids(), "project {}".format, remove)

    return Job("remove_unused_source_maps", work, REMOVAL_SECONDS)
