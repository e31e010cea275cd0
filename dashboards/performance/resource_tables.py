"""Tables of resources: words of their impact, and the column that they are sorted by."""

URL_SORTS = (
    "url",
    "decoded_bytes",
    "body_bytes",
    "duration_ms",
    "resource_count",
    "view_count",
    "error_count",
)
DEFAULT_SORT = "-decoded_bytes"
IMPACT_WORDS = {"high": "High", "medium": "Medium", "low": "Low"}


def sorted_by(sort: str) -> tuple[str, bool]:
    """The column, and whether it descends; those of the default for an unknown sort."""
    name, is_descending = sort.removeprefix("-"), sort.startswith("-")
    return (name, is_descending) if name in URL_SORTS else sorted_by(DEFAULT_SORT)
