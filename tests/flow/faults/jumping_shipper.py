"""The shipper on a host whose clock is off by the seconds that stand in a file: `… FILE --config …`."""

import sys
from datetime import datetime, timedelta
from pathlib import Path

from errata_shipper.__main__ import main
from errata_shipper.clock import SystemClock

_now = SystemClock.now
_error = Path(sys.argv.pop(1))


def _jumped(self: SystemClock) -> datetime:
    return _now(self) + timedelta(seconds=float(_error.read_text()))


if __name__ == "__main__":
    SystemClock.now = _jumped  # type: ignore[method-assign]
    sys.exit(main())
