LEVELS = frozenset({"fatal", "error", "warning", "info", "debug"})


def known_level(word: str) -> str:
    """The level in lower case, `error` for a word that is none."""
    level = word.lower()
    return level if level in LEVELS else "error"
