"""What the verdict on a release is called on pages."""

from errata.statistics.verdict import Verdict
from errata.warehouse.queries.performance.releases import ReleaseRow

VERDICTS = {
    "worse": "Worse",
    "better": "Better",
    "no_change": "No change",
    "undecided": "Undecided",
    "not_enough_data": "Not enough data",
    "": "Verdict pending",
}


def verdict_word(row: ReleaseRow) -> str:
    """Of the release: by load time and errors."""
    word = row.overall_verdict
    if word != Verdict.NOT_ENOUGH_DATA:
        return word.value
    return "undecided" if row.is_undecided or row.error_rates else word.value
