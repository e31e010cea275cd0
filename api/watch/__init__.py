"""What has to happen without anybody asking: a thread a duty, on one of all nodes at a time."""

from api.watch.duty import Duty, Turn
from api.watch.watch import Watch

__all__ = ["Duty", "Turn", "Watch"]
