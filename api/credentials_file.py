"""Keeps `credentials.json` of the service's data directory up to date after regenerated keys."""

import logging
from collections.abc import Collection

from api.context import Context
from errata.up.credentials import replace_key

log = logging.getLogger("api")


def keep_key(context: Context, projects: Collection[str], name: str, key: str) -> None:
    """Writes the new key. It is valid already, so a failure to write is only logged."""
    path = context.credentials_path
    if path is None:
        return
    try:
        replace_key(path, projects, name, key)
    except (OSError, ValueError) as error:
        log.warning("%s keeps the former %s: %s", path, name, error)
