"""How long something may take on a machine that may be busy with other things."""

import os


def allowed(seconds: float) -> float:
    """The seconds on a machine that has a core for it, as much longer as more wait for each core."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
