"""The name of a monitor."""

import re

SLUG = re.compile(r"[a-z0-9_-]{1,50}")


def is_slug(name: str) -> bool:
    return SLUG.fullmatch(name) is not None
