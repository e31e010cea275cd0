"""The name of a monitor."""

import re

LONGEST_SLUG = 50
SLUG = re.compile(f"[a-z0-9_-]{{1,{LONGEST_SLUG}}}")
SLUG_RULE = f"1 to {LONGEST_SLUG} letters without accents, digits, hyphens and underscores"


def is_slug(name: str) -> bool:
    return SLUG.fullmatch(name) is not None
