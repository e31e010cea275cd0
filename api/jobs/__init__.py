"""What has to happen without anybody asking: a thread a duty, on one of all nodes at a time."""

from api.jobs.job import Duty, Turn
from api.jobs.scheduler import Watch

__all__ = ["Duty", "Turn", "Watch"]
