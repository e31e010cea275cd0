"""`credentials.json` of the service's own data directory follows the keys that are regenerated."""

import logging
from collections.abc import Collection

from api.context import Context
from errata.up.credentials import replace_key

log = logging.getLogger("api")


def keep_key(context: Context, projects: Collection[str], name: str, key: str) -> None:
    """The key is valid already: a file that cannot be written is told in the log, not to who asked."""
    path = context.credentials_path
    if path is None:
        return
    try:
        replace_key(path, projects, name, key)
    except (OSError, ValueError) as error:
        log.warning("%s keeps the former %s: %s", path, name, error)
