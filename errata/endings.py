"""How a program of ours ends at an error that it foresaw: one sentence, and a code for whoever started it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from errata.errors import ErrataError
from errata.process_log.configured import log, logs_json

# EX_CONFIG of sysexits.h: starting it again changes nothing.
FINAL_EXIT_CODE = 78


def reported(error: ErrataError) -> int:
    """Prints the error; the exit code."""
    if logs_json():
        log.error("%s", error)
    else:
        print(f"errata: {error}", file=sys.stderr, flush=True)  # noqa: T201
    return FINAL_EXIT_CODE if error.is_final else 1


@contextmanager
def exiting() -> Iterator[None]:
    try:
        yield
    except ErrataError as error:
        sys.exit(reported(error))
