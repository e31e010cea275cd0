"""Files that people fetch over the wire again and again though they had them."""

from collections.abc import Iterator

from errata.recommendations.recommendation import Example, Recommendation, Rule
from errata.reports import formats
from errata.warehouse.queries.performance.refetched import Refetched

# Less than this is mostly the round trip.
SMALL_BYTES = 2_000


def uncached(refetched: Refetched) -> Iterator[Recommendation]:
    for file in refetched.files:
        if file.bytes_p75 < SMALL_BYTES:
            continue
        repeats = file.load_count + file.spared_count
        said = (
            f"{formats.size(file.bytes_p75)} (p75) downloaded again in "
            f"{formats.count(file.load_count)} of {formats.count(repeats)} repeated loads, a median of "
            f"{formats.duration(file.gap_ms)} after the same user downloaded the same file, while "
            f"the browser "
            "loaded other files from its cache."
        )
        yield Recommendation(
            Rule.UNCACHED,
            file.url,
            said,
            round(file.load_count * refetched.one_of),
            None,
            file.bytes_p75,
            user_count=file.user_count,
            example=Example(file.view_id, file.received_at.date(), file.url),
        )
