"""What the verdict on a release is called on pages."""

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
    return "undecided" if row.is_undecided else row.verdict
