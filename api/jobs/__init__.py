"""Background jobs: each in a thread, on one of all nodes at a time."""

from api.jobs.job import Job, Run
from api.jobs.scheduler import Scheduler

__all__ = ["Job", "Run", "Scheduler"]
