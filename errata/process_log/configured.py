"""Configures the log of a process: called once, at its start."""

import logging
import sys
import threading
from collections.abc import Mapping
from types import TracebackType

from errata.process_log.json_lines import JsonFormatter
from errata.process_log.log_format import LogFormat, log_format

REQUESTS = logging.getLogger("errata.requests")
log = logging.getLogger("errata")


def configure(
    process: str, environ: Mapping[str, str], *, level: int = logging.WARNING, text: str = ""
) -> None:
    """`text`: the format of text lines; empty: the way that Python has without a configuration. Raises
    InvalidSettings."""
    if log_format(environ) is LogFormat.JSON:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonFormatter(process))
        logging.basicConfig(handlers=[handler], level=level, force=True)
        logging.captureWarnings(True)
        sys.excepthook = _log_uncaught
        threading.excepthook = _log_uncaught_of_thread
    elif text:
        logging.basicConfig(stream=sys.stderr, format=text, level=level)


def log_requests() -> None:
    """Lets the web process log a line for each request that it has answered."""
    REQUESTS.setLevel(logging.INFO)
    if not logs_json() and not REQUESTS.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
        REQUESTS.addHandler(handler)
        REQUESTS.propagate = False


def logs_json() -> bool:
    """Whether this process was configured to."""
    return any(isinstance(handler.formatter, JsonFormatter) for handler in logging.getLogger().handlers)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("The process ended unexpectedly", exc_info=(kind, error, trace))


def _log_uncaught_of_thread(uncaught: threading.ExceptHookArgs) -> None:
    if uncaught.exc_value is not None and uncaught.exc_type is not SystemExit:
        facts = uncaught.exc_type, uncaught.exc_value, uncaught.exc_traceback
        log.error("A thread ended unexpectedly", exc_info=facts)
