"""What runs log, where processes print JSON: Dagster's own console has a format of its own."""

import logging
from collections.abc import Mapping

import dagster as dg

from errata.process_log.log_format import LogFormat, log_format


@dg.logger({}, "Lines of a run, in the form of the process's other lines.")
def process_log(context: dg.InitLoggerContext) -> logging.Logger:
    log = logging.getLogger("errata.runs")
    log.setLevel(logging.INFO)
    return log


def loggers(environ: Mapping[str, str]) -> dict[str, dg.LoggerDefinition] | None:
    """The default loggers of jobs; None: Dagster's."""
    return {"console": process_log} if log_format(environ) is LogFormat.JSON else None
