import logging
import sys
import time

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR}


def log_to_stderr(level: str, is_verbose: bool) -> None:
    """Send the shipper's own messages to stderr, which keeps stdout for answers."""
    logging.addLevelName(logging.WARNING, "WARN")
    formatter = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)-5s %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    shipper = logging.getLogger("errata_shipper")
    shipper.handlers = [handler]
    shipper.propagate = False
    shipper.setLevel(logging.DEBUG if is_verbose else _LEVELS[level])
